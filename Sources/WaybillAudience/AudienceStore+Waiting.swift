package import WaybillMongo

/// Audiences that wait for their time, or that are held and that nobody expands.
extension AudienceStore {
    private typealias Field = Audiences.Field

    /// The records of those with one of some names, or a part of one, for their name or their `cancel_key`.
    package func waiting(named names: [String]) throws(MongoError) -> [AudienceRecord] {
        let filter = BSONDocument { writer in
            writer.append(
                "$and",
                array: { conditions in
                    conditions.append(document: Self.waiting)
                    conditions.append { either in
                        either.append(
                            "$or",
                            array: { ways in
                                ways.append(document: Self.named(names))
                                ways.append { $0.append(Field.cancelKey) { $0.append(anyOf: names) } }
                                for name in names {
                                    ways.append { $0.append(Field.name) { Self.parts(of: name, $0) } }
                                    ways.append { $0.append(Field.cancelKey) { Self.parts(of: name, $0) } }
                                }
                            }
                        )
                    }
                }
            )
        }
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.find(filter, options: options).all().compactMap(AudienceRecord.init)
    }

    /// The condition on `NAME.1`, `NAME.2` and so on, and on others that begin so.
    private static func parts(of name: String, _ condition: BSONWriter) {
        condition.append("$gte", string: "\(name).")
        // What comes behind the dot.
        condition.append("$lt", string: "\(name)/")
    }

    /// Ends one of them.
    ///
    /// - Parameters:
    ///   - key: of its record.
    ///   - reason: why.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false`: it does not wait.
    /// - Throws: what the store says.
    package func cancelWaiting(_ key: String, reason: String, now: Int64) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: key)
            Self.waiting(writer)
        }
        let step = AudienceStep(key: key, pages: 0, handedOver: 0, change: .end(.cancelled, reason: reason))
        return try collection.findOneAndUpdate(filter, update: update(step, now: now), maximumTime: Self.maximumTime)
            != nil
    }

    /// Ends one of them as failed whose other end the server refuses.
    ///
    /// - Parameters:
    ///   - key: of its record.
    ///   - refusal: why.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of it; `nil`: it does not wait.
    /// - Throws: what the store says.
    package func failWaiting(
        _ key: String,
        _ refusal: MongoError,
        now: Int64
    ) throws(MongoError) -> RefusedAudience? {
        guard let id = BSONDocument({ $0.append(Field.id, string: key) }).identifier("\(Field.id)") else { return nil }
        let waiting = BSONDocument { Self.waiting($0) }
        var refused: RefusedAudience?
        _ = try claims.end(id, waiting, failed(refusal, now: now), because: refusal) { refused = RefusedAudience($0) }
        return refused
    }

    /// The condition on them.
    static func waiting(_ writer: BSONWriter) {
        writer.append(
            "$or",
            array: { ways in
                ways.append { $0.append(Field.state, string: AudienceRecord.State.waiting.rawValue) }
                ways.append { resting in
                    resting.append(Field.state, string: AudienceRecord.State.expanding.rawValue)
                    resting.append(Field.held, bool: true)
                    resting.append(Field.lease) { $0.append("$exists", bool: false) }
                    resting.append(Field.page) { $0.append("$exists", bool: false) }
                }
            }
        )
    }
}
