import WaybillMongo

/// Lets of several who end a service's live keys at once each know of the others: one live key is left.
///
/// Whoever ends one names it in the service's document before, in one step with a count of such steps. So nobody has looked at the
/// keys before somebody else has named one, and named theirs after that. A name that stays after a crash counts
/// as the end of its key here, until the same is asked again.
struct LastKeyGuard {
    private typealias Field = ServiceLayout.ServiceField

    /// How often others may be faster with the same service.
    private static let turns = 64

    private let services: MongoCollection
    private let reader: ServiceReader
    private let keys: ServiceKeyReader

    init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: ServiceLayout.services)
        reader = ServiceReader(client: client, database: database)
        keys = ServiceKeyReader(client: client, database: database)
    }

    /// Names a live key that is about to be ended.
    ///
    /// - Parameters:
    ///   - id: the key.
    ///   - service: whose it is.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false`: it would be the last live one that holds.
    /// - Throws: when it is not known to be durable.
    func begin(_ id: String, of service: String, now: Int64) throws(MongoError) -> Bool {
        let itself = BSONDocument { $0.append(Field.id, string: service) }
        for _ in 0..<Self.turns {
            // In this order: what is named was there before it ended.
            guard let document = try services.findOne(itself, options: reader.options(1)) else { return true }
            let ending = Set((document["\(Field.endingKeys)"]?.elements ?? []).compactMap(\.string))
            let live = try keys.keys(of: service).filter { $0.kind == .live && $0.isGood(now: now) }.map(\.id)
            guard live.contains(where: { $0 != id && !ending.contains($0) }) else { return false }
            let ends = document["\(Field.keyEnds)"]?.int
            let filter = BSONDocument { writer in
                writer.append(Field.id, string: service)
                if let ends {
                    writer.append(Field.keyEnds, int: Int(ends))
                } else {
                    writer.append(Field.keyEnds) { $0.append("$exists", bool: false) }
                }
            }
            // Those that have ended by now need no name any more.
            let names = ending.intersection(live).union([id]).sorted()
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    set.append(Field.endingKeys, array: { array in for name in names { array.append(string: name) } })
                    set.append(Field.keyEnds, int: Int(ends ?? 0) + 1)
                }
            }
            if try services.findOneAndUpdate(filter, update: update) != nil { return true }
        }
        throw ServiceUpdates.restless
    }
}
