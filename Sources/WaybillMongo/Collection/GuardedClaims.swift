/// A document whose claim the server refuses.
package struct RefusedDocument: Sendable {
    package let id: BSONIdentifier
    package let refusal: MongoError
    /// As its end has left it; `nil`: the server refuses that, too, and the document is left alone.
    package let ended: BSONDocument?

    /// The beginning of its `_id`; empty where that is of a type that has no text.
    package var name: String { String((id.text ?? "").prefix(64)) }
}

/// Claims documents of a collection: one whose claim the server refuses ends, and those behind it have their turn.
///
/// *Thread:* its collection's client's.
package final class GuardedClaims {
    private static let id: StaticString = "_id"
    /// So many documents are ended before somebody else has their turn.
    private static let mostEnded = 100
    /// With more, the first one is claimed once more.
    private static let mostLeftAlone = 1000

    private let collection: MongoCollection
    private let maximumTime: Duration
    /// What can be neither claimed nor ended.
    private var leftAlone: [BSONIdentifier] = []

    package init(_ collection: MongoCollection, maximumTime: Duration) {
        self.collection = collection
        self.maximumTime = maximumTime
    }

    /// Claims the first document that matches a filter.
    ///
    /// - Parameters:
    ///   - filter: which documents.
    ///   - sort: which of them is the first.
    ///   - update: makes the claim.
    ///   - end: makes the end of one whose claim is refused so; best without what makes it large.
    ///   - told: hears of each of these.
    /// - Returns: the document after the change; `nil` if none matches.
    /// - Throws: what concerns every document.
    package func first(
        _ filter: BSONDocument,
        sort: BSONDocument? = nil,
        update: BSONDocument,
        end: (MongoError) -> BSONDocument,
        told: (RefusedDocument) -> Void
    ) throws(MongoError) -> BSONDocument? {
        for _ in 0..<Self.mostEnded {
            let open = withoutLeftAlone(filter)
            do throws(MongoError) {
                return try change(open, sort: sort, update)
            } catch {
                guard error.isAboutTheQuery else { throw error }
            }
            let options = MongoFindOptions(
                sort: sort,
                projection: BSONDocument { $0.append(Self.id, int: 1) },
                maximumTime: maximumTime
            )
            // Another process may have ended it.
            guard let id = try collection.findOne(open, options: options)?.identifier("\(Self.id)") else { continue }
            do throws(MongoError) {
                // Another one may be the first by now.
                if let found = try change(Self.both(filter, Self.one(id)), update) { return found }
            } catch {
                guard error.isAboutTheQuery else { throw error }
                _ = try self.end(id, filter, end(error), because: error, told: told)
            }
        }
        return nil
    }

    /// Ends a document because of a refusal; where the server refuses that, too, nobody claims it here any more.
    ///
    /// - Parameters:
    ///   - id: the document's.
    ///   - filter: what must hold of it.
    ///   - update: makes the end.
    ///   - refusal: why.
    ///   - told: hears of it.
    /// - Returns: whether it has ended; one that the filter does not match has not.
    /// - Throws: what concerns every document.
    package func end(
        _ id: BSONIdentifier,
        _ filter: BSONDocument,
        _ update: BSONDocument,
        because refusal: MongoError,
        told: (RefusedDocument) -> Void
    ) throws(MongoError) -> Bool {
        do throws(MongoError) {
            guard let ended = try change(Self.both(filter, Self.one(id)), update) else { return false }
            told(RefusedDocument(id: id, refusal: refusal, ended: ended))
            return true
        } catch {
            guard error.isAboutTheQuery else { throw error }
            leaveAlone(id)
            told(RefusedDocument(id: id, refusal: error, ended: nil))
            return false
        }
    }

    /// Claims a document no more.
    package func leaveAlone(_ id: BSONIdentifier) {
        if leftAlone.count >= Self.mostLeftAlone { leftAlone.removeFirst() }
        leftAlone.append(id)
    }

    private func change(
        _ filter: BSONDocument,
        sort: BSONDocument? = nil,
        _ update: BSONDocument
    ) throws(MongoError) -> BSONDocument? {
        try collection.findOneAndUpdate(filter, sort: sort, update: update, maximumTime: maximumTime)
    }

    private func withoutLeftAlone(_ filter: BSONDocument) -> BSONDocument {
        guard !leftAlone.isEmpty else { return filter }
        let others = BSONDocument { writer in
            writer.append(Self.id) { condition in
                condition.append("$nin", array: { array in for id in leftAlone { array.append(identifier: id) } })
            }
        }
        return Self.both(filter, others)
    }

    private static func one(_ id: BSONIdentifier) -> BSONDocument {
        BSONDocument { $0.append(Self.id, identifier: id) }
    }

    private static func both(_ filter: BSONDocument, _ other: BSONDocument) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append(document: filter)
                    all.append(document: other)
                }
            )
        }
    }
}
