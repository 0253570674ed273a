/// `clients`: what is set for single clients, by the names that messages give them.
enum ClientsSection {
    /// Reads the section.
    ///
    /// - Parameters:
    ///   - section: it.
    ///   - known: the clients that are named elsewhere.
    /// - Returns: what is set, by client.
    static func read(_ section: SectionReader, known: [String]) -> [String: ClientSettings] {
        defer { section.finish() }
        var clients: [String: ClientSettings] = [:]
        for (name, client) in section.freeSections() {
            if let slip = ClientName.slip(name, among: known) { section.warning(name, slip) }
            clients[name] = ClientSettings(maxAge: client.maxAge())
            client.finish()
        }
        return clients
    }
}

extension SectionReader {
    /// `max_age`: how old a notification may become before it is not sent any more, in whole seconds; `nil` for no limit.
    func maxAge() -> Duration? {
        setting("max_age").flatMap { duration($0, in: .seconds(1)...(.seconds(365 * 86_400))) }
    }
}
