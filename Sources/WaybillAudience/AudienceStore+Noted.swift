package import WaybillMongo

/// The audience of a notification in the store, told from others of its name.
package struct NotedAudience: Hashable, Sendable {
    package let name: String
    /// Of its message's body.
    package let digest: String

    package init(name: String, digest: String) {
        self.name = name
        self.digest = digest
    }
}

/// Audiences that did not end when they were to, because more than their records is to be stopped.
package struct LeftAudiences {
    /// Those that do not wait, or of which something was handed over before.
    package var begun: [(name: String, client: String)] = []
    /// The names of those that fan-out has no record of: their messages may wait in its queue.
    package var missing: [String] = []
}

/// What is asked of several audiences at once; those that are not there are left out.
extension AudienceStore {
    private typealias Field = Audiences.Field

    /// As ``hold(_:_:)-(String,_)``; those that have ended stay as they are.
    package func hold(_ audiences: [NotedAudience], _ isHeld: Bool) throws(MongoError) {
        guard !audiences.isEmpty else { return }
        let filter = BSONDocument { writer in
            Self.noted(audiences, writer)
            writer.append(Field.state) { state in
                state.append(anyOf: AudienceRecord.State.allCases.filter { !$0.isEnded }.map(\.rawValue))
            }
        }
        try updateAll(
            filter,
            BSONDocument { writer in
                writer.append(isHeld ? "$set" : "$unset") { $0.append(Field.held, bool: true) }
            }
        )
    }

    /// As ``cancelWaiting(_:reason:now:)``.
    ///
    /// - Parameters:
    ///   - audiences: which.
    ///   - reason: why.
    ///   - now: milliseconds since 1970.
    /// - Returns: what an order is to end.
    /// - Throws: what the store says.
    package func cancelWaiting(
        _ audiences: [NotedAudience],
        reason: String,
        now: Int64
    ) throws(MongoError) -> LeftAudiences {
        guard !audiences.isEmpty else { return LeftAudiences() }
        let filter = BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append { Self.noted(audiences, $0) }
                    all.append { Self.waiting($0) }
                }
            )
        }
        let step = AudienceStep(key: "", pages: 0, handedOver: 0, change: .end(.cancelled, reason: reason))
        try updateAll(filter, update(step, now: now))
        let options = MongoFindOptions(
            projection: BSONDocument { writer in
                for field in [Field.name, Field.client, Field.digest, Field.state, Field.handedOver] {
                    writer.append(field, int: 1)
                }
            },
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        let found = try collection.find(BSONDocument { Self.noted(audiences, $0) }, options: options).all()
        var left = LeftAudiences()
        var known: Set<String> = []
        for record in found {
            guard let name = record["\(Field.name)"]?.string, let client = record["\(Field.client)"]?.string,
                let state = record["\(Field.state)"]?.string.flatMap(AudienceRecord.State.init)
            else { continue }
            if let digest = record["\(Field.digest)"]?.string { known.insert(digest) }
            if !state.isEnded || record["\(Field.handedOver)"]?.amount ?? 0 > 0 { left.begun.append((name, client)) }
        }
        left.missing = audiences.filter { !known.contains($0.digest) }.map(\.name)
        return left
    }

    private func updateAll(_ filter: BSONDocument, _ update: BSONDocument) throws(MongoError) {
        let bulk = collection.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("write to \(Audiences.collection)")
    }

    private static func noted(_ audiences: [NotedAudience], _ writer: BSONWriter) {
        writer.append(
            "$or",
            array: { ways in
                for audience in audiences {
                    ways.append { one in
                        one.append(Field.name, string: audience.name)
                        one.append(Field.digest, string: audience.digest)
                    }
                }
            }
        )
    }
}
