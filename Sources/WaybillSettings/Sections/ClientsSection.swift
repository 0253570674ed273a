import WaybillCore
import WaybillEncoding

/// `clients`: what is set for single clients, by the names that messages give them.
enum ClientsSection {
    /// Reads the section.
    ///
    /// - Parameters:
    ///   - section: it.
    ///   - known: the clients that are named elsewhere.
    ///   - apps: those of the lanes; none where they are not known.
    /// - Returns: what is set, by client.
    static func read(_ section: SectionReader, known: [String], apps: [String]) -> [ExactName: ClientSettings] {
        defer { section.finish() }
        var clients: [ExactName: ClientSettings] = [:]
        for (name, client) in section.freeSections() {
            if let slip = ClientName.slip(name, among: known) { section.warning(name, slip) }
            clients[name] = ClientSettings(maxAge: client.maxAge(), apps: client.apps(among: apps))
            client.finish()
        }
        return clients
    }
}

extension SectionReader {
    /// `apps`: which apps a client may reach; `nil` for no list.
    fileprivate func apps(among known: [String]) -> Set<ExactName>? {
        guard let list = list("apps") else { return nil }
        if list.isEmpty { error("apps", "is empty; name the apps that the client may reach") }
        let names = Set(exactly: list.map(\.text))
        // A warning: devices may be registered before there is a lane for them.
        for name in names.sortedTexts where !known.isEmpty && !known.containsExactly(name) {
            let hint = NearestName.to(name, among: known).map { "; did you mean \($0)?" } ?? ""
            warning("apps", "no lane sends to \(name)\(hint)")
        }
        return names
    }

    /// `max_age`: how old a notification may become before it is not sent any more, in whole seconds; `nil` for no limit.
    func maxAge() -> Duration? {
        setting("max_age").flatMap { duration($0, in: .seconds(1)...(.seconds(365 * 86_400))) }
    }
}
