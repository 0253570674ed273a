import WaybillDeliveryLog
import WaybillMongo
import WaybillOperations
import WaybillThreads

/// What an empty answer says of names that were asked for and that nobody has.
struct NameHint: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    /// An empty answer is an answer, and waits for its hint for a moment at the most.
    private static let patience = Duration.seconds(1)
    private static let longestWait = Duration.seconds(2)

    /// - Parameters:
    ///   - query: what was asked for.
    ///   - request: whose key it is: no names are told but those of its clients.
    /// - Returns: half a sentence; `nil` where all are known, nothing is, or the store does not say so at once.
    func text(_ query: DeliveryQuery, _ request: APIRequest) async -> String? {
        let filters = [query.lane, query.client, query.reason, query.topic, query.pushType]
        guard query.batch != nil || filters.contains(where: { !$0.isEmpty }) else { return nil }
        let (database, scope) = (backend.log.database, request.caller.scope)
        let deadline = MonotonicTime.now().advanced(by: Self.longestWait)
        let hint = try? await store.ask(for: request, until: deadline) { store throws(MongoError) in
            KnownNames(client: store, database: database, scope: scope, patience: Self.patience)
                .hint(query)
        }
        return hint.flatMap(\.self)
    }
}
