/// One thing that reading or checking the configuration has shown.
///
/// The message never repeats a secret, nor a URL that may hold one.
package struct Finding: Hashable, Sendable {
    package enum Severity: String, CaseIterable, Sendable {
        case ok
        case warning = "warn"
        case error
    }

    /// What an error, or a warning about a running installation, means for the exit status (sysexits).
    package enum Category: String, CaseIterable, Sendable {
        /// The operator must change a setting or a file's content: 78.
        case configuration
        /// The operator must change who may do what: 77.
        case permission
        /// Something cannot be reached at present, or pushes do not go out: 69.
        case unavailable
        /// Of a warning: pushes go out, and something needs a look: 75.
        case degraded
    }

    package var severity: Severity
    package var category: Category
    /// The setting, such as `lanes[0].key_file`; empty for the configuration as a whole.
    package var path: String
    /// Where the setting's value came from; `nil` for a default and for what was found outside the configuration.
    package var origin: SettingOrigin?
    package var message: String
    /// What to do about it, as sentences; `nil` where the message says that, or nothing needs to be done.
    package var advice: String?
    /// What several findings with different advice come from, such as `broker`; people are told once what to do about each.
    package var subject: String?

    package init(
        _ severity: Severity,
        _ category: Category = .configuration,
        path: String,
        origin: SettingOrigin? = nil,
        message: String,
        advice: String? = nil,
        subject: String? = nil
    ) {
        self.severity = severity
        self.category = category
        self.path = path
        self.origin = origin
        self.message = message
        self.advice = advice
        self.subject = subject
    }
}

/// Where a setting's value came from, in falling order of precedence.
package enum SettingOrigin: Hashable, Sendable {
    /// A flag of the command.
    case flag(String)
    /// A variable of the environment.
    case environment(String)
    /// A line of the file, counted from 1.
    case file(line: Int)
}

extension SettingOrigin: CustomStringConvertible {
    package var description: String {
        switch self {
        case .flag(let name), .environment(let name): name
        case .file(let line): "line \(line)"
        }
    }
}

extension Finding: CustomStringConvertible {
    /// One line, such as `error lanes[0].key_file (line 12): …`.
    package var description: String {
        "\(severity.rawValue) \(place): \(sentence)"
    }

    /// The message, and what to do about it.
    package var sentence: String { advice.map { "\(message). \($0)" } ?? message }

    /// The setting and where it stands.
    package var place: String {
        let name = path.isEmpty ? "configuration" : path
        return origin.map { "\(name) (\($0))" } ?? name
    }
}

extension Finding {
    /// Whether it makes a difference to who asks whether all is well: an error, or a warning about a running installation.
    package var isWrong: Bool { severity == .error || severity == .warning && category == .degraded }
}

extension Sequence<Finding> {
    /// In the order of the file; what stands in no line comes first.
    package func inFileOrder() -> [Finding] {
        func line(_ finding: Finding) -> Int {
            if case .file(let line) = finding.origin { line } else { 0 }
        }
        return sorted { (line($0), $0.path, $0.message) < (line($1), $1.path, $1.message) }
    }

    /// Whether any finding is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}
