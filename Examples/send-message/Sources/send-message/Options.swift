import Foundation
import WaybillFCM

/// What the program is told, by options or by the environment.
struct Options {
    /// An option's name, its variable, and what it is for.
    static let known: [(name: String, variable: String, meaning: String)] = [
        ("--service-account", "FCM_SERVICE_ACCOUNT", "the service account's key file, by its path"),
        ("--project", "FCM_PROJECT", "the project, if it is not the service account's own"),
        ("--token", "FCM_TOKEN", "the app's registration token"),
        ("--host", "FCM_HOST", "host:port, in place of FCM itself"),
        ("--trust", "FCM_TRUST", "authorities to trust in place of the system's, a PEM file"),
    ]

    static var usage: String {
        let lines = known.map { "  \($0.name) (or \($0.variable)): \($0.meaning)" }
        return "usage: send-message OPTIONS\n" + lines.joined(separator: "\n")
    }

    private var values: [String: String] = [:]

    /// Reads the options; what is not given is looked for in the environment.
    init(_ arguments: [String]) throws(UsageError) {
        var arguments = arguments[...]
        while let name = arguments.popFirst() {
            guard Self.known.contains(where: { $0.name == name }) else { throw UsageError("\(name) is no option") }
            guard let value = arguments.popFirst() else { throw UsageError("\(name) needs a value") }
            values[name] = value
        }
        for (name, variable, _) in Self.known where values[name] == nil {
            values[name] = ProcessInfo.processInfo.environment[variable]
        }
    }

    /// The value of an option that cannot be left out.
    func needed(_ name: String) throws(UsageError) -> String {
        guard let value = values[name], !value.isEmpty else { throw UsageError("\(name) is missing") }
        return value
    }

    /// Where to send, and with what.
    func configuration() throws -> FCMConfiguration {
        let account = try FCMServiceAccount(file: needed("--service-account"))
        let source = try FCMAccessTokenSource(account, trust: trust)
        var configuration = FCMConfiguration(project: values["--project"] ?? account.projectID, credentials: source)
        configuration.trust = trust
        if let text = values["--host"] {
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
                throw UsageError("--host is host:port")
            }
            configuration.host = String(text[..<colon])
            configuration.port = port
        }
        return configuration
    }

    /// Whom to trust.
    private var trust: FCMTrust { values["--trust"].map { .file($0) } ?? .system }
}

/// Why the options cannot be used.
struct UsageError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
