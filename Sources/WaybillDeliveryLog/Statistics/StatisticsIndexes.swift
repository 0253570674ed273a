package import WaybillMongo

/// The indexes of the statistics.
package enum StatisticsIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Statistics.collection).ensureIndexes(all)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: Statistics.collection).missing(all)
    }

    private static let all = [
        // What was counted then?
        MongoIndex(name: "minute", keys: [.ascending("\(Statistics.Field.minute)")]),
        // What is left to do?
        MongoIndex(
            name: "unresolved",
            keys: [.ascending("\(Statistics.Field.unresolved)"), .ascending("\(Statistics.Field.minute)")],
            partialFilter: BSONDocument {
                $0.append(Statistics.Field.unresolved) { $0.append("$exists", bool: true) }
            }
        ),
        // Which minutes have no sum yet? A few hours of them have none.
        MongoIndex(
            name: "unsummed",
            keys: [.ascending("\(Statistics.Field.unsummed)"), .ascending("\(Statistics.Field.minute)")],
            partialFilter: BSONDocument { $0.append(Statistics.Field.unsummed) { $0.append("$exists", bool: true) } }
        ),
        // Which sums are there? All that is to be known of one but its counts is in the index.
        MongoIndex(
            name: "sums",
            keys: [Statistics.Field.level, Statistics.Field.start, Statistics.Field.sealed, Statistics.Field.summed]
                .map { .ascending("\($0)") },
            partialFilter: BSONDocument { $0.append(Statistics.Field.level) { $0.append("$exists", bool: true) } }
        ),
        // Counts that others stand for go, and writers that have long ended.
        MongoIndex(
            name: "expires_at",
            keys: [.ascending("\(Statistics.Field.expiresAt)")],
            expireAfterSeconds: 0
        ),
    ]
}
