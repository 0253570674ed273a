package import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// How a batch ended, with its parts and its slowest answers: one walk along its index.
    ///
    /// - Parameters:
    ///   - batch: which.
    ///   - sample: how many records to look at; `nil` for all.
    /// - Returns: what ``groups(_:sample:time:)`` does, and the parts.
    /// - Throws: what the store says, such as ``WaybillMongo/MongoError/Code/timeLimitExceeded``.
    package func parts(
        of batch: BatchName,
        sample: Int? = nil
    ) throws(MongoError) -> (groups: [DeliveryGroup], parts: BatchParts) {
        var stages = [match(DeliveryQuery(batch: batch))]
        if let sample { stages.append(Self.limit(sample)) }
        let fold = try fold(stages + [Self.groupByPartAndEnd(Self.slowestAnswers)], time: DeliveryPage.longestTime)
        return (fold.sortedGroups, fold.parts)
    }

    /// What a range of a batch has.
    ///
    /// - Parameters:
    ///   - range: which.
    ///   - withParts: whether parts are told apart, and where the slowest answers are, for ``slowest(of:time:)``.
    ///   - time: when the server should give up.
    /// - Returns: what may be added to that of other ranges.
    /// - Throws: as ``parts(of:sample:)``, and where the batches' index is not there, which the server calls a bad value.
    package func count(
        _ range: BatchRange,
        withParts: Bool,
        time: Duration
    ) throws(MongoError) -> BatchPartsFold {
        let match = BSONDocument { $0.append("$match", document: scope.filter { range.append(to: $0) }) }
        let group = withParts ? Self.groupByPartAndEnd(Self.longestLatency) : Self.groupByEnd
        return try fold([match, group], time: time, index: DeliveryLogIndexes.batch.name)
    }

    private func fold(
        _ stages: [BSONDocument],
        time: Duration,
        index: String? = nil
    ) throws(MongoError) -> BatchPartsFold {
        let cursor = collection.aggregate(stages, maximumTime: time, index: index)
        var fold = BatchPartsFold()
        // By the bytes of the name, as the store compares.
        var places: [[UInt8]: SlowPlace] = [:]
        while let row = try cursor.next() {
            let part = row["_id"]?.document?["\(Field.batchID)"]?.string ?? ""
            let answers = (row["slowest"]?.elements ?? []).compactMap(\.document)
            fold.add(
                DeliveryGroup(row),
                part: part,
                slowest: answers.compactMap { BatchParts.SlowAnswer($0, of: part) }
            )
            if let place = SlowPlace(row, part: part) {
                let name = Array(part.utf8)
                places[name] = places[name]?.joined(with: place) ?? place
            }
        }
        fold.places = Array(places.values)
        return fold
    }

    /// With what is told of latencies.
    private static func groupByPartAndEnd(_ appendLatency: (BSONWriter) -> Void) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$group") { group in
                group.append("_id") { key in
                    key.append(Field.batchID, string: "$\(Field.batchID)")
                    appendEnd(to: key)
                }
                appendSums(to: group)
                appendLatency(group)
            }
        }
    }

    /// With an accumulator that keeps a server on its slower engine: a third more of its time than with the longest alone.
    private static func slowestAnswers(in group: BSONWriter) {
        group.append("slowest") { accumulator in
            accumulator.append("$maxN") { most in
                most.append("n", int: BatchParts.mostAnswers)
                most.append("input", document: answer)
            }
        }
    }

    private static func longestLatency(in group: BSONWriter) {
        group.append("longest") { $0.append("$max", string: "$\(Field.latency)") }
    }

    /// A record's latency and id; nothing for one without.
    private static let answer = BSONDocument { writer in
        writer.append("$cond") { condition in
            condition.append("if") { $0.append("$isNumber", string: "$\(Field.latency)") }
            condition.append("then") { pair in
                pair.append(Field.latency, string: "$\(Field.latency)")
                pair.append(Field.id, string: "$\(Field.id)")
            }
            condition.append("else", string: "$$REMOVE")
        }
    }
}

extension BatchParts.SlowAnswer {
    /// Reads what the server tells of a record; `nil` for one without a latency.
    init?(_ document: BSONDocument, of part: String) {
        guard case .uuid(let high, let low) = document["\(Field.id)"],
            let latency = document["\(Field.latency)"]?.double
        else { return nil }
        self.init(id: NotificationID(high: high, low: low), batch: part, latencyMilliseconds: latency)
    }
}
