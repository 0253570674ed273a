import WaybillCore
import WaybillEncoding
import WaybillProviders

/// `admin`: metrics and health.
enum AdminSection {
    static func read(_ section: SectionReader) -> AdminSettings {
        defer { section.finish() }
        var settings = listen(section)
        settings.hosts = hosts(section)
        return settings
    }

    private static func listen(_ section: SectionReader) -> AdminSettings {
        guard section.isSection("listen") else {
            return address("listen", in: section).map(AdminSettings.init(first:)) ?? AdminSettings()
        }
        let addresses = section.section("listen")
        defer { addresses.finish() }
        var settings = AdminSettings()
        for role in AdminSettings.Role.allCases { settings.listen[role] = address(role.rawValue, in: addresses) }
        return settings
    }

    private static func hosts(_ section: SectionReader) -> [String] {
        (section.list("hosts") ?? []).compactMap { setting in
            if !setting.text.isEmpty, setting.text.utf8.allSatisfy(isOfName) { return setting.text }
            section.findings.error(
                setting.path,
                setting.origin,
                "must be a host name without a port, such as push-1.example.com"
            )
            return nil
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func address(_ key: String, in section: SectionReader) -> AdminSettings.Listen? {
        guard let text = section.text(key) else { return nil }
        let listen = AdminSettings.Listen(text)
        if listen == nil { section.error(key, "must be an address and a port, such as 127.0.0.1:9464") }
        return listen
    }
}

/// `log`: how services talk.
enum LogSection {
    static func read(_ section: SectionReader) -> LogSettings {
        defer { section.finish() }
        return LogSettings(level: section.choice("level", default: LogSettings.Level.info))
    }
}

/// `schedule`: notifications that others put into the store.
enum ScheduleSection {
    static func read(_ section: SectionReader) -> ScheduleOptions {
        defer { section.finish() }
        var options = ScheduleOptions()
        if let client = section.text("client") {
            if (1...255).contains(client.utf8.count), !ControlCharacters.areIn(client) {
                options.client = client
            } else {
                section.error("client", "must have 1 to 255 bytes and no control character")
            }
        }
        options.sweep = section.duration("sweep", default: options.sweep, in: .milliseconds(100)...(.seconds(3600)))
        return options
    }
}

/// `limits`: what a dispatch message may not exceed.
enum LimitsSection {
    static func read(_ section: SectionReader) -> DecodingLimits {
        defer { section.finish() }
        var limits = DecodingLimits()
        limits.maxBodySize = section.integer("body_bytes", default: limits.maxBodySize, in: 1024...(64 << 20))
        limits.maxNotifications = section.integer(
            "notifications",
            default: limits.maxNotifications,
            in: 1...100_000
        )
        limits.maxDepth = section.integer("depth", default: limits.maxDepth, in: 3...DecodingLimits.depthCeiling)
        return limits
    }
}

/// `retry`: the delay queues, and how often they are used.
enum RetrySection {
    static func read(_ section: SectionReader) -> RetryPolicy {
        defer { section.finish() }
        let steps = steps(section)
        let fallback = RetryPolicy()
        let attempts = section.integer("max_attempts", default: fallback.maxAttempts, in: 1...100)
        let age = section.duration("max_age", default: fallback.maxAge, in: .seconds(1)...(.seconds(30 * 86_400)))
        return RetryPolicy(steps: steps ?? fallback.steps, maxAttempts: attempts, maxAge: age)
    }

    private static func steps(_ section: SectionReader) -> [DelayStep]? {
        guard let settings = section.list("steps") else { return nil }
        var steps: [DelayStep] = []
        for setting in settings {
            guard let step = DelayStep(setting.text) else {
                section.findings.error(
                    setting.path,
                    setting.origin,
                    "must be \(DurationText.form(in: DelayStep.units)), up to a week, such as 30s"
                )
                continue
            }
            if let last = steps.last, step <= last {
                section.findings.error(setting.path, setting.origin, "must be longer than the step before it")
            }
            steps.append(step)
        }
        if settings.isEmpty { section.error("steps", "is empty; give at least one step, or remove the key") }
        return steps.isEmpty ? nil : steps
    }
}

/// `dispatch`: the dispatcher's own times.
enum DispatchSection {
    static func read(_ section: SectionReader) -> DispatchSettings {
        defer { section.finish() }
        var settings = DispatchSettings()
        settings.graceTime = section.duration("grace", default: settings.graceTime, in: .zero ... .seconds(600))
        settings.requestTimeout = section.duration(
            "request_timeout",
            default: settings.requestTimeout,
            in: .seconds(1)...(.seconds(300))
        )
        settings.unreachable = section.duration(
            "unreachable",
            default: settings.unreachable,
            in: .seconds(1)...(.seconds(90))
        )
        settings.statisticsInterval = section.duration(
            "statistics_interval",
            default: settings.statisticsInterval,
            in: .milliseconds(100)...(.seconds(60))
        )
        keep(&settings, section)
        return settings
    }

    /// How long statistics are kept in which detail.
    private static func keep(_ settings: inout DispatchSettings, _ section: SectionReader) {
        let range = Duration.seconds(86_400)...(.seconds(3650 * 86_400))
        settings.statisticsMinutes = section.duration(
            "statistics_minutes",
            default: settings.statisticsMinutes,
            in: range
        )
        settings.statisticsHours = section.duration("statistics_hours", default: settings.statisticsHours, in: range)
        if settings.statisticsHours < settings.statisticsMinutes {
            section.error("statistics_hours", "must not be shorter than statistics_minutes")
        }
    }
}

/// `fanout`: how far audiences go ahead of the dispatchers.
enum FanoutSection {
    static func read(_ section: SectionReader) -> FanoutTuning {
        defer { section.finish() }
        var tuning = FanoutTuning()
        tuning.backlog = section.integer("backlog", default: tuning.backlog, in: 1...10_000)
        tuning.keep = section.duration(
            "keep",
            default: tuning.keep,
            in: .seconds(86_400)...(.seconds(3650 * 86_400))
        )
        return tuning
    }
}
