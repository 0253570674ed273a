import WaybillDeliveryLog
import WaybillMongo
import WaybillOperations
import WaybillThreads

/// What an empty answer says of lanes, clients and reasons that were asked for and that nobody has.
struct NameHint: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    /// An empty answer is an answer, and waits for its hint for a moment at the most.
    private static let patience = Duration.seconds(1)
    private static let longestWait = Duration.seconds(2)

    /// - Parameters:
    ///   - lane: those that were asked for.
    ///   - client: those that were asked for.
    ///   - reason: those that were asked for.
    ///   - request: whose key it is: no names are told but those of its clients.
    /// - Returns: half a sentence; `nil` where all are known, nothing is, or the store does not say so at once.
    func text(
        lane: TextFilter,
        client: TextFilter,
        reason: TextFilter,
        _ request: APIRequest
    ) async -> String? {
        guard !lane.isEmpty || !client.isEmpty || !reason.isEmpty else { return nil }
        let (database, scope) = (backend.log.database, request.caller.scope)
        let deadline = MonotonicTime.now().advanced(by: Self.longestWait)
        let hint = try? await store.ask(for: request, until: deadline) { store throws(MongoError) in
            KnownNames(client: store, database: database, scope: scope, patience: Self.patience)
                .hint(lane: lane, client: client, reason: reason)
        }
        return hint.flatMap(\.self)
    }
}
