import WaybillMongo

/// Whether an account stays, as those ask it whom a deletion may pass: what they decide holds for both.
///
/// Whoever depends on an account writes first and asks then. A deletion says that it is asked for before it looks, and that it is
/// decided before it ends anything. So of two who meet, one sees the other.
enum AccountStanding: Hashable, Sendable {
    /// Nobody deletes it.
    case staying
    /// Somebody deletes it, and may be refused.
    case asked
    /// It was deleted or erased, or is as good as that: nothing can keep it.
    case gone

    var isGone: Bool { self == .gone }

    /// Reads a document of an account.
    init(_ document: BSONDocument) {
        typealias Field = Accounts.AccountField
        let deletion = document["\(Field.deletion)"]?.document
        // An unconfirmed one has a time at which it goes, and its name.
        let isErased = document["\(Field.expiresAt)"] != nil && document["\(Field.username)"] == nil
        if isErased || deletion?["\(Field.decidedAt)"] != nil {
            self = .gone
        } else {
            self = deletion == nil ? .staying : .asked
        }
    }
}

extension AccountReader {
    /// Whether accounts stay; one that nobody knows has gone.
    func standing(of ids: Set<String>) throws(MongoError) -> [String: AccountStanding] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in writer.append(Accounts.AccountField.id) { $0.append(anyOf: ids) } }
        let options = MongoFindOptions(limit: ids.count, maximumTime: Self.maximumTime, readsMajority: true)
        var standing = Dictionary(uniqueKeysWithValues: ids.map { ($0, AccountStanding.gone) })
        for document in try collection.find(filter, options: options).all() {
            guard let id = document["\(Accounts.AccountField.id)"]?.string else { continue }
            standing[id] = AccountStanding(document)
        }
        return standing
    }

    /// Whether an account stays.
    func standing(of id: String) throws(MongoError) -> AccountStanding { try standing(of: [id])[id] ?? .gone }
}
