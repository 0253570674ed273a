package import WaybillMongo
import WaybillTLS

/// The records that match a search, as they are written.
///
/// A notification that is put off comes once for each of its records. Conditions on dates do not count: everything here is
/// new. Needs a replica set, and the right `changeStream` beside `find`.
///
/// *Thread:* its client's, which serves nobody else meanwhile. *Blocking:* ``next(showing:within:)``.
package final class DeliveryTail {
    /// What came in a while.
    package struct Batch: Sendable {
        /// In the order in which they were written.
        package var records: [LoggedDelivery] = []
        /// How many matched, these included.
        package var matched = 0
        /// Whether records before these are missing, since the store had forgotten where this tail was.
        package var hasGap = false
    }

    private let collection: MongoCollection
    private let query: DeliveryQuery
    private let pipeline: [BSONDocument]
    private let fingerprint: UInt64
    private var stream: MongoChangeStream?
    private var token: BSONDocument?
    private var since: Int64?

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where the log is, and how it holds tokens.
    ///   - scope: whose records come, whatever is asked.
    ///   - query: which of them.
    package init(client: MongoClient, options: DeliveryLogOptions, scope: DeliveryScope, query: DeliveryQuery) {
        collection = client.collection(database: options.database, name: Deliveries.collection)
        var undated = query
        undated.since = nil
        undated.until = nil
        self.query = undated
        let filter = undated.filter(of: options, scope: scope)
        pipeline = Self.pipeline(filter)
        fingerprint = SHA256Hasher.digest(of: filter.bytes).words.0
    }

    /// Where this tail is, as text to go on from: URL-safe, without spaces; `nil` before the store has answered.
    ///
    /// It belongs to the search and the scope, and is not signed.
    package var position: String? {
        guard let data = token?["_data"]?.string else { return nil }
        return "\(String(fingerprint, radix: 16)).\(data)"
    }

    /// Goes on from a position, before the first ``next(showing:within:)``.
    ///
    /// - Parameter position: of a tail with the same search and the same scope.
    /// - Returns: `false` for any other text, which changes nothing.
    package func resume(from position: String) -> Bool {
        let parts = position.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt64(parts[0], radix: 16) == fingerprint, (1...4096).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return false }
        token = BSONDocument { $0.append("_data", string: String(parts[1])) }
        return true
    }

    /// Begins earlier than now, before the first ``next(showing:within:)``.
    ///
    /// - Parameter second: since 1970, by the store's clock.
    package func resume(fromSecond second: Int64) {
        since = second
    }

    /// Waits for records.
    ///
    /// - Parameters:
    ///   - most: how many to hand out; what else matches is counted.
    ///   - isLast: whether that is all that is wanted: then it ends with the last of them, and its position is behind that.
    ///   - time: how long to collect. It ends earlier when something has come and nothing follows at once.
    /// - Returns: what came, perhaps nothing.
    /// - Throws: what the store says. The next call tries again from where this tail is.
    package func next(showing most: Int, isLast: Bool = false, within time: Duration) throws(MongoError) -> Batch {
        var batch = Batch()
        let end = ContinuousClock.now + time
        repeat {
            guard let change = try change(&batch) else {
                if batch.matched > 0 || batch.hasGap { return batch }
                continue
            }
            guard let document = change["fullDocument"]?.document else { continue }
            if batch.records.count >= most, query.id == nil {
                batch.matched += 1
                continue
            }
            let record = LoggedDelivery(document: document)
            // The place of the record's own id is taken by the change's.
            if let id = query.id, record.id != id, record.givenID != id { continue }
            batch.matched += 1
            if batch.records.count < most { batch.records.append(record) }
            if isLast, batch.records.count == most { return batch }
        } while .now < end
        return batch
    }

    private func change(_ batch: inout Batch) throws(MongoError) -> BSONDocument? {
        let stream = stream ?? collection.watch(pipeline, options: MongoWatchOptions(resumeAfter: token, since: since))
        self.stream = stream
        do throws(MongoError) {
            let change = try stream.next()
            token = stream.resumeToken ?? token
            return change
        } catch {
            self.stream = nil
            guard error.isHistoryLost else {
                // What has come is handed out first: the position is behind it. The next call meets the error again.
                guard batch.matched == 0 else { return nil }
                throw error
            }
            token = nil
            since = nil
            batch.hasGap = true
            return nil
        }
    }

    /// The records of changes as documents of their own, so that the log's own filter holds for them.
    ///
    /// The change's `_id`, by which a stream is resumed, stays in the place of the record's.
    private static func pipeline(_ filter: BSONDocument) -> [BSONDocument] {
        [
            BSONDocument { stage in
                stage.append(
                    "$match",
                    document: { match in
                        match.append(
                            "operationType",
                            document: { condition in
                                // An update is only ever the mark that a push may be repeated.
                                condition.append(
                                    "$in",
                                    array: { array in
                                        array.append(string: "insert")
                                        array.append(string: "replace")
                                    }
                                )
                            }
                        )
                    }
                )
            },
            BSONDocument { stage in
                stage.append(
                    "$replaceWith",
                    document: { replacement in
                        replacement.append(
                            "$mergeObjects",
                            array: { array in
                                array.append(string: "$fullDocument")
                                array.append(document: { merged in
                                    merged.append("_id", string: "$_id")
                                    merged.append("fullDocument", string: "$fullDocument")
                                })
                            }
                        )
                    }
                )
            },
            BSONDocument { $0.append("$match", document: filter) },
            BSONDocument { $0.append("$project", document: { $0.append("fullDocument", int: 1) }) },
        ]
    }
}

extension DeliveryQuery {
    /// The filter, but for the id: in a change its place is taken.
    fileprivate func filter(of options: DeliveryLogOptions, scope: DeliveryScope) -> BSONDocument {
        var query = self
        query.id = nil
        return query.filter(tokenForm: TokenForm(tokens: options.tokens), scope: scope)
    }
}
