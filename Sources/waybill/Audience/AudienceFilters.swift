import ArgumentParser
import WaybillCore
import WaybillMessages

/// Which devices an audience is.
struct AudienceFilters: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id, or its project at FCM; repeatable.", valueName: "app"))
    var app: [String] = []

    @Option(help: ArgumentHelp("The devices of this user; repeatable.", valueName: "user"))
    var user: [String] = []

    @Option(help: ArgumentHelp("The device with this id of the app's own; repeatable.", valueName: "id"))
    var device: [String] = []

    @Option(help: ArgumentHelp("Devices with this tag; of several, with all.", valueName: "tag"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("Devices of this locale or of one of its regions; repeatable.", valueName: "locale"))
    var locale: [String] = []

    @Option(help: ArgumentHelp("Devices in this time zone; repeatable.", valueName: "zone"))
    var timeZone: [String] = []

    @Option(
        help: ArgumentHelp("Devices with this version of the app or a later one.", valueName: "version"),
        transform: AudienceFilters.version
    )
    var versionFrom: [Int]?

    @Option(
        help: ArgumentHelp("Devices with an earlier version of the app.", valueName: "version"),
        transform: AudienceFilters.version
    )
    var versionBelow: [Int]?

    @Option(
        help: ArgumentHelp("Devices seen (or registered) since then: 30d, or a date.", valueName: "time"),
        transform: LogFilters.time
    )
    var seenSince: Int64?

    @Option(
        help: ArgumentHelp("Devices last seen (or registered) before: the same forms.", valueName: "time"),
        transform: LogFilters.time
    )
    var seenBefore: Int64?

    /// - Throws: `ValidationError` for what goes not together, or is no version or locale.
    func selection() throws -> AudienceSelection {
        guard !app.isEmpty else { throw ValidationError("Say which app: --app <app>.") }
        var filter = AudienceFilter()
        filter.tags = tag
        filter.locales = try Self.locales(locale)
        filter.timeZones = TimeZoneName.canonical(all: timeZone)
        filter.versionFrom = versionFrom
        filter.versionBelow = versionBelow
        // A message tells times in seconds.
        filter.seenSince = seenSince.map { $0 / 1000 * 1000 }
        filter.seenBefore = seenBefore.map { $0 / 1000 * 1000 }
        guard [!user.isEmpty, !device.isEmpty, !filter.isEmpty].count(where: { $0 }) < 2 else {
            throw ValidationError("Select by '--user', by '--device' or by what devices have, not by two of these.")
        }
        if !user.isEmpty { return AudienceSelection(apps: app, kind: .users(user)) }
        if !device.isEmpty { return AudienceSelection(apps: app, kind: .devices(device)) }
        return AudienceSelection(apps: app, kind: .filter(filter))
    }

    /// Locales in their canonical form.
    static func locales(_ texts: [String]) throws -> [String] {
        try texts.map { text in
            guard let locale = LocaleName.canonical(text) else {
                throw ValidationError("'\(text)' for '--locale' \(LocaleName.form).")
            }
            return locale
        }
    }

    /// A version's numbers.
    static func version(_ text: String) throws -> [Int] {
        guard let version = AudienceFilter.version(text) else {
            throw ValidationError("must begin with one to eight numbers with dots between, as in 2.10.1")
        }
        return version
    }
}
