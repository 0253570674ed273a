import WaybillCore
import WaybillEncoding
import WaybillProviders

/// `producers`: who may send as whom.
enum ProducersSection {
    /// Reads the section.
    ///
    /// - Parameters:
    ///   - root: the whole configuration.
    ///   - lanes: the names of the lanes.
    ///   - clients: those that are named elsewhere.
    /// - Returns: `nil` when the configuration has no such section: then nobody is asked.
    static func read(_ root: SectionReader, lanes: [String], clients: [String]) -> ProducerRules? {
        let isThere = root.isPresent("producers")
        let section = root.section("producers")
        defer { section.finish() }
        let isStrict = section.boolean("strict", default: false)
        var users: [ExactName: ProducerRules.Rights] = [:]
        for (user, reader) in section.section("users").freeSections() {
            users[user] = rights(reader, lanes: lanes, clients: clients)
        }
        guard isThere || isStrict else { return nil }
        if users.isEmpty {
            section.error("users", "is missing; name the broker's users that send, such as acme-app: {clients: [acme]}")
        }
        return ProducerRules(isStrict: isStrict, users: users)
    }

    private static func rights(
        _ section: SectionReader,
        lanes: [String],
        clients: [String]
    ) -> ProducerRules.Rights {
        defer { section.finish() }
        let rights = ProducerRules.Rights(
            clients: names("clients", section),
            lanes: names("lanes", section),
            kinds: names("push_types", section)
        )
        // A command that needs no lanes may do without them.
        for lane in (rights.lanes ?? []).sortedTexts where !lanes.isEmpty && !lanes.containsExactly(lane) {
            let hint = NearestName.to(lane, among: lanes).map { "; did you mean \($0)?" } ?? ""
            section.error("lanes", "there is no lane \(lane)\(hint)")
        }
        for client in (rights.clients ?? []).sortedTexts {
            if let slip = ClientName.slip(client, among: clients) { section.warning("clients", slip) }
        }
        // A warning: providers add kinds, and a message may name any.
        let kinds = ProviderName.allCases.flatMap(\.documentedKinds)
        for kind in (rights.kinds ?? []).sortedTexts where !kinds.containsExactly(kind) {
            let hint = NearestName.to(kind, among: kinds).map { "; did you mean \($0)?" } ?? ""
            section.warning("push_types", "\(kind) is no push type that is documented\(hint)")
        }
        return rights
    }

    private static func names(_ key: String, _ section: SectionReader) -> Set<ExactName>? {
        guard let list = section.list(key) else { return nil }
        if list.isEmpty { section.error(key, "is empty; name what is allowed, or remove the key to allow all") }
        return Set(exactly: list.map(\.text))
    }
}
