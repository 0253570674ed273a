import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// How many groups are of use to anybody; the largest are kept.
    static let mostGroups = 500
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
        let match = self.match(query)
        var stages = [match]
        if query.canBeGrouped {
            if let sample { stages.append(Self.limit(sample)) }
        } else {
            let newestFirst = BSONDocument { $0.append("$sort", document: { $0.append(Field.id, int: -1) }) }
            stages = [newestFirst, Self.limit(min(sample ?? .max, Self.mostLookedAt)), match]
        }
        return try groups(stages, time: time, index: query.tokenIndex)
    }

    /// The same for somebody who waits: of many failures the newest alone, and of what takes too long a sample.
    ///
    /// - Parameters:
    ///   - query: what is asked; its limit does not count.
    ///   - count: how many failures to look at where there are more.
    ///   - most: how many records to look at where no index leads to those that match, ``mostLookedAt`` at the most.
    /// - Returns: the groups, and how many records were looked at if not all of them.
    /// - Throws: as ``groups(_:sample:time:)``.
    package func groups(
        _ query: DeliveryQuery,
        ofNewest count: Int,
        outOf most: Int = mostLookedAt
    ) throws(MongoError) -> (groups: [DeliveryGroup], sample: Int?) {
        if DeliveryPath(query) == .failures, try hasMoreFailures(query, than: count) {
            // The index has the newest first, and tells those of the time from the others; all else is asked of the records.
            let newest = [failures(of: query), Self.limit(count), match(query)]
            return (try groups(newest, time: DeliveryPage.longestTime), count)
        }
        do throws(MongoError) {
            guard query.canBeGrouped else {
                return (try groups(query, sample: most), try hasMoreRecords(than: most) ? most : nil)
            }
            return (try groups(query), nil)
        } catch {
            guard error.code == .timeLimitExceeded else { throw error }
            return (try groups(query, sample: most), most)
        }
    }

    /// Whether there are so many failures in the time of a query, whatever else it asks: read from the index alone.
    private func hasMoreFailures(_ query: DeliveryQuery, than count: Int) throws(MongoError) -> Bool {
        let counted = BSONDocument { $0.append("$count", string: "count") }
        let stages = [failures(of: query), Self.limit(count + 1), counted]
        let found = try collection.aggregate(stages, maximumTime: DeliveryPage.longestTime).all()
        return (found.first?["count"]?.int ?? 0) > Int64(count)
    }

    /// Whether the log has so many records, whatever is asked: read from the index of their ids alone.
    private func hasMoreRecords(than count: Int) throws(MongoError) -> Bool {
        let newestFirst = BSONDocument { $0.append("$sort", document: { $0.append(Field.id, int: -1) }) }
        let counted = BSONDocument { $0.append("$count", string: "count") }
        let stages = [newestFirst, Self.limit(count + 1), counted]
        let found = try collection.aggregate(stages, maximumTime: DeliveryPage.longestTime).all()
        return (found.first?["count"]?.int ?? 0) > Int64(count)
    }

    private func failures(of query: DeliveryQuery) -> BSONDocument {
        BSONDocument { stage in
            stage.append("$match") { filter in
                filter.append(Field.outcome, document: DeliveryLogIndexes.failed)
                query.appendDates(upTo: nil, to: filter)
            }
        }
    }

    func match(_ query: DeliveryQuery) -> BSONDocument {
        BSONDocument { $0.append("$match", document: query.filter(tokenForm: tokenForm, scope: scope)) }
    }

    private func groups(
        _ selection: [BSONDocument],
        time: Duration,
        index: String? = nil
    ) throws(MongoError) -> [DeliveryGroup] {
        var stages = selection
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
        return try collection.aggregate(stages, maximumTime: time, index: index).all().map(DeliveryGroup.init)
    }

    static func limit(_ count: Int) -> BSONDocument {
        BSONDocument { $0.append("$limit", int64: Int64(count)) }
    }

    static let groupByEnd = BSONDocument { writer in
        writer.append("$group") { group in
            group.append("_id") { appendEnd(to: $0) }
            appendSums(to: group)
        }
    }

    /// What records have in common that ended alike.
    static func appendEnd(to key: BSONWriter) {
        key.append(Field.outcome, string: "$\(Field.outcome)")
        GroupedReason.append(to: key)
        for field in [Field.client, Field.lane, Field.topic] { key.append(field, string: "$\(field)") }
    }

    /// What is told of them together.
    static func appendSums(to group: BSONWriter) {
        appendCounts(to: group)
        // Of the first three at least one is neither the oldest nor the newest, if there are three.
        group.append("oldest") { $0.append("$min", string: "$\(Field.id)") }
        group.append("newest") { $0.append("$max", string: "$\(Field.id)") }
        group.append("some") { some in
            some.append("$firstN") { first in
                first.append("input", string: "$\(Field.id)")
                first.append("n", int: DeliveryGroup.mostExamples)
            }
        }
    }

    /// How many they are, and when.
    static func appendCounts(to group: BSONWriter) {
        group.append("count") { $0.append("$sum", int: 1) }
        group.append("first") { $0.append("$min", string: "$\(Field.date)") }
        group.append("last") { $0.append("$max", string: "$\(Field.date)") }
    }
}

extension DeliveryGroup {
    init(_ document: BSONDocument) {
        let key = document["_id"]?.document ?? .empty
        func text(_ field: StaticString) -> String? { key["\(field)"]?.string }
        func id(_ value: BSONValue?) -> NotificationID? {
            guard case .uuid(let high, let low) = value else { return nil }
            return NotificationID(high: high, low: low)
        }
        let ends = [id(document["newest"]), id(document["oldest"])].compactMap(\.self)
        var examples = ends.first.map { [$0] } ?? []
        if let between = document["some"]?.elements?.lazy.compactMap(id).first(where: { !ends.contains($0) }) {
            examples.append(between)
        }
        if let oldest = ends.last, oldest != examples.first { examples.append(oldest) }
        self.init(
            outcome: text(Field.outcome) ?? "",
            reason: text(Field.reason),
            client: text(Field.client),
            lane: text(Field.lane),
            topic: text(Field.topic),
            count: document["count"]?.amount ?? 0,
            first: document["first"]?.date ?? 0,
            last: document["last"]?.date ?? 0,
            examples: examples
        )
    }
}
