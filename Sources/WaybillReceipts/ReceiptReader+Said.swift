package import WaybillCore
package import WaybillMongo

/// What was said of a notification, without when and by which app.
package struct SaidOfNotification: Hashable, Sendable {
    package let id: NotificationID
    package private(set) var events: Set<ReceiptEvent> = []

    init(_ id: NotificationID, _ event: ReceiptEvent) {
        self.id = id
        events = [event]
    }

    mutating func add(_ event: ReceiptEvent) { events.insert(event) }
}

extension ReceiptReader {
    /// As many notifications as the log is asked for at once.
    private static let pieceSize = 1000

    /// What was said of notifications whose ids lie in a range, in pieces; keys alone are read, from the index.
    ///
    /// Without what was said of a given id with its content.
    ///
    /// - Parameters:
    ///   - first: the first id.
    ///   - end: the one behind the last.
    ///   - time: when the server should give up.
    ///   - body: gets a thousand at the most at once, in the order of their ids.
    /// - Throws: what the store says, and what the closure throws.
    package func forEachSaid(
        from first: NotificationID,
        before end: NotificationID,
        time: Duration,
        _ body: ([SaidOfNotification]) throws(MongoError) -> Void
    ) throws(MongoError) {
        let range = BSONDocument { writer in
            writer.append(ReceiptLayout.Field.id) { condition in
                condition.append("$gte", binary: ReceiptLayout.key(ReceiptSubject(first), 0))
                condition.append("$lt", binary: ReceiptLayout.key(ReceiptSubject(end), 0))
            }
        }
        var piece: [SaidOfNotification] = []
        let cursor = keys(range, time: time)
        while let (id, event) = try nextKey(cursor) {
            if piece.last?.id == id {
                piece[piece.count - 1].add(event)
                continue
            }
            if piece.count == Self.pieceSize {
                try body(piece)
                piece.removeAll(keepingCapacity: true)
            }
            piece.append(SaidOfNotification(id, event))
        }
        if !piece.isEmpty { try body(piece) }
    }
}
