import WaybillCore
import WaybillMongo

/// What became of a bulk of conditional upserts, one for each event.
struct WrittenEvents {
    /// Documents that met their event's conditions.
    private(set) var changed = 0
    /// Documents of tokens that the registry did not know.
    private(set) var created = 0
    /// Events whose document did not meet the conditions.
    private(set) var unmet: [InvalidTokenEvent] = []

    /// No event, no write.
    init() {}

    /// Takes stock of the answer to a bulk.
    ///
    /// - Parameters:
    ///   - answer: what is known about the bulk.
    ///   - events: whose upserts the bulk was made of, in its order.
    ///   - operation: what to call it in an error.
    /// - Throws: when not every event is known to be durable or unmet; a write that the answer says nothing about is
    ///   ``WaybillMongo/MongoError/Code/notDurable``.
    init(_ answer: MongoBulkResult, of events: [InvalidTokenEvent], operation: String) throws(MongoError) {
        if let failure = answer.failure { throw failure }
        if let reason = answer.writeConcernErrors.first {
            throw MongoError(code: .notDurable, operation: operation, reason: reason)
        }
        if let refused = answer.writeErrors.first(where: { !$0.isDuplicateKey }) {
            throw refused.error(operation)
        }
        let accounted = answer.matched + answer.upserted + answer.writeErrors.count
        guard accounted == events.count else {
            throw MongoError(
                code: .notDurable,
                operation: operation,
                reason: "the answer accounts for \(accounted) of \(events.count) events"
            )
        }
        changed = answer.matched
        created = answer.upserted
        unmet = answer.writeErrors.map { events[$0.index] }
    }
}
