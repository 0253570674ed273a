import WaybillCore
import WaybillSettings

/// Lists the clients that reach no app with audiences, campaigns and notifications in the store.
enum ClientAppsCheck {
    private static let mostShown = 20

    static func run(_ sections: ConfigurationSections) -> [Finding] {
        guard let message = message(sections.clientsWithoutApps) else { return [] }
        return [Finding(.warning, path: "clients", message: message, advice: advice(sections))]
    }

    /// What to do, as sentences.
    static func advice(_ sections: ConfigurationSections) -> String {
        let list =
            "List the apps of each that is to reach any in clients.NAME.apps; who sends to tokens alone needs none."
        // The first name makes all others unknown to retention.
        guard let retention = sections.retention, retention.names.isEmpty, sections.clients.isEmpty else { return list }
        return list + " With the first name, retention.unknown decides about the clients that have none: write "
            + "retention.unknown: default to keep their expiry."
    }

    /// - Returns: `nil` for no clients.
    static func message(_ clients: [String]) -> String? {
        guard !clients.isEmpty else { return nil }
        let more = clients.count > mostShown ? " and \(clients.count - mostShown) more" : ""
        return "audiences, campaigns and notifications in the store reach no app for these clients, "
            + "which have no list of apps: " + clients.prefix(mostShown).joined(separator: ", ") + more
    }
}
