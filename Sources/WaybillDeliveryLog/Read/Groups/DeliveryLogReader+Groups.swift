import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// How many groups are of use to anybody; the largest are kept.
    private static let mostGroups = 500
    /// The most records that are looked at where no index leads to those that match.
    package static let mostLookedAt = 50_000

    /// The records that match, grouped by how they ended, the largest group first.
    ///
    /// - Parameters:
    ///   - query: what is asked; its limit does not count.
    ///   - sample: how many records to look at, `nil` for all: those that match and that the index leads to first; of a query
    ///     that is not ``DeliveryQuery/canBeGrouped``, the newest of the log, ``mostLookedAt`` at the most, match or not.
    ///   - time: when the server should give up.
    /// - Returns: the groups, at most 500.
    /// - Throws: what the store says, such as ``WaybillMongo/MongoError/Code/timeLimitExceeded``.
    package func groups(
        _ query: DeliveryQuery,
        sample: Int? = nil,
        time: Duration = DeliveryPage.longestTime
    ) throws(MongoError) -> [DeliveryGroup] {
        let filter = query.filter(tokenForm: tokenForm, scope: scope)
        var stages = [BSONDocument { $0.append("$match", document: filter) }]
        if query.canBeGrouped {
            if let sample { stages.append(Self.limit(sample)) }
        } else {
            let newestFirst = BSONDocument { $0.append("$sort", document: { $0.append(Field.id, int: -1) }) }
            stages = [newestFirst, Self.limit(min(sample ?? .max, Self.mostLookedAt))] + stages
        }
        stages.append(Self.groupByEnd)
        stages.append(
            BSONDocument { stage in
                stage.append(
                    "$sort",
                    document: { order in
                        order.append("count", int: -1)
                        order.append("_id", int: 1)
                    }
                )
            }
        )
        stages.append(Self.limit(Self.mostGroups))
        return try collection.aggregate(stages, maximumTime: time).all().map(DeliveryGroup.init)
    }

    private static func limit(_ count: Int) -> BSONDocument {
        BSONDocument { $0.append("$limit", int64: Int64(count)) }
    }

    private static let groupByEnd = BSONDocument { writer in
        writer.append(
            "$group",
            document: { group in
                group.append(
                    "_id",
                    document: { key in
                        for field in [Field.outcome, Field.reason, Field.client, Field.lane, Field.topic] {
                            key.append(field, string: "$\(field)")
                        }
                    }
                )
                group.append("count", document: { $0.append("$sum", int: 1) })
                group.append("first", document: { $0.append("$min", string: "$\(Field.date)") })
                group.append("last", document: { $0.append("$max", string: "$\(Field.date)") })
                // Three of them, the same ones each time, by accumulators that every server has.
                group.append("oldest", document: { $0.append("$min", string: "$\(Field.id)") })
                group.append("newest", document: { $0.append("$max", string: "$\(Field.id)") })
                group.append("any", document: { $0.append("$first", string: "$\(Field.id)") })
            }
        )
    }
}

extension DeliveryGroup {
    init(_ document: BSONDocument) {
        let key = document["_id"]?.document ?? .empty
        func text(_ field: StaticString) -> String? { key["\(field)"]?.string }
        var examples: [NotificationID] = []
        for name in ["newest", "any", "oldest"] {
            guard case .uuid(let high, let low) = document[name] else { continue }
            let id = NotificationID(high: high, low: low)
            if !examples.contains(id) { examples.append(id) }
        }
        self.init(
            outcome: text(Field.outcome) ?? "",
            reason: text(Field.reason),
            client: text(Field.client),
            lane: text(Field.lane),
            topic: text(Field.topic),
            count: Int(clamping: document["count"]?.int ?? 0),
            first: document["first"]?.date ?? 0,
            last: document["last"]?.date ?? 0,
            examples: examples
        )
    }
}
