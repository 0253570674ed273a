import Foundation
import WaybillAPNS

/// What the program is told, by options or by the environment.
struct Options {
    /// An option's name, its variable, and what it is for.
    static let known: [(name: String, variable: String, meaning: String)] = [
        ("--key-file", "APNS_KEY_FILE", "the .p8 file of the key, by its path"),
        ("--key-id", "APNS_KEY_ID", "the key's id"),
        ("--team-id", "APNS_TEAM_ID", "the team's id"),
        ("--bundle-id", "APNS_BUNDLE_ID", "the app's bundle id"),
        ("--device-token", "APNS_DEVICE_TOKEN", "the device's token, in hexadecimal"),
        ("--endpoint", "APNS_ENDPOINT", "sandbox (the default), production, or host:port"),
        ("--trust", "APNS_TRUST", "authorities to trust in place of the system's, a PEM file"),
    ]

    static var usage: String {
        let lines = known.map { "  \($0.name) (or \($0.variable)): \($0.meaning)" }
        return "usage: send-notification OPTIONS\n" + lines.joined(separator: "\n")
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

    /// Where to send.
    func endpoint() throws(UsageError) -> APNSEndpoint {
        switch values["--endpoint"] ?? "sandbox" {
        case "sandbox": return .sandbox
        case "production": return .production
        case let text:
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
                throw UsageError("--endpoint is sandbox, production, or host:port")
            }
            return APNSEndpoint(host: String(text[..<colon]), port: port)
        }
    }

    /// Whom to trust.
    var trust: APNSTrust { values["--trust"].map { .file($0) } ?? .system }
}

/// Why the options cannot be used.
struct UsageError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
