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

    private func fold(_ stages: [BSONDocument], time: Duration) throws(MongoError) -> BatchPartsFold {
        let cursor = collection.aggregate(stages, maximumTime: time)
        var fold = BatchPartsFold()
        while let row = try cursor.next() {
            let part = Self.part(of: row)
            let answers = (row["slowest"]?.elements ?? []).compactMap(\.document)
            fold.add(
                DeliveryGroup(row),
                part: part,
                slowest: answers.compactMap { BatchParts.SlowAnswer($0, of: part) }
            )
        }
        return fold
    }

    /// The name of the part that a row is about; empty where parts are not told apart.
    static func part(of row: BSONDocument) -> String { row["_id"]?.document?["\(Field.batchID)"]?.string ?? "" }

    /// With what is told of latencies.
    static func groupByPartAndEnd(_ appendLatency: (BSONWriter) -> Void) -> BSONDocument {
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
