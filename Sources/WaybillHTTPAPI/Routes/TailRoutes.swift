import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeliveryLog
import WaybillMongo
import WaybillThreads

/// Records as they are written.
struct TailRoutes: Sendable {
    let backend: APIBackend
    /// Threads that no search keeps busy.
    let store: StoreWorkers
    let feed: TailFeed
    let places: StreamPlaces
    let seals: CursorSeal

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/tail",
                action: .readDeliveries,
                parameters: DeliveryFilters.followed,
                answer: tail
            )
        ]
    }

    /// Server-sent events: `delivery`, `sampled` and `gap`, until the client goes.
    private func tail(_ request: APIRequest) async throws -> Response {
        let query = try DeliveryFilters(request.query).query
        let headers: HTTPFields = [.contentType: "text/event-stream", Self.buffering: "no"]
        // A stream without a body has nothing to wait for.
        guard request.head.method != .head else { return Response(status: .ok, headers: headers) }
        let place = try places.take(request.caller.key.id)
        let ids = TailIDs(seal: try await seals.ready(request), scope: request.caller.scope)
        let mark = try Self.mark(request, ids)
        let match = DeliveryMatch(query: query, options: backend.log, scope: request.caller.scope)
        let channel = request.context.channel
        guard let seat = feed.join(match, after: mark, drop: { channel.close(promise: nil) }) else {
            throw Problem.ending
        }
        let viewer = seat.listener
        let watch = GoneClientWatch(channel) { viewer.end() }
        try await FeedPhase.awaitOpen({ feed.phase }, viewer.signals, until: request.context.deadline)
        let stream = TailStream(
            feed: feed,
            seat: seat,
            place: place,
            watch: watch,
            tokens: request.caller.may(.readTokens) ? .whole : .lastFour,
            ids: ids,
            resumed: mark != nil,
            isWelcome: { await isWelcome(request.caller) }
        )
        return Response(status: .ok, headers: headers, body: ResponseBody(asyncSequence: stream))
    }

    /// Where a viewer was who comes back; `nil` for one who does not.
    private static func mark(_ request: APIRequest, _ ids: TailIDs) throws(Problem) -> TailMark? {
        guard let id = request.head.headerFields[lastEventID] else { return nil }
        guard let mark = ids.mark(id) else {
            throw Problem.refused(
                .forgedCursor,
                "Last-Event-ID: not an id that this key's clients were sent; without it, the stream begins now"
            )
        }
        return mark
    }

    /// Whether a key still holds, and the session that was begun with it.
    ///
    /// Where the store does not say, they do: nothing comes from there meanwhile.
    private func isWelcome(_ caller: Caller) async -> Bool {
        let known = AccessGrant(key: caller.key, session: caller.session)
        guard known.isGood(now: WallClock.milliseconds()) else { return false }
        let database = backend.log.database
        let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
        do throws(Problem) {
            let found = try await store.ask(until: deadline) { client throws(MongoError) -> AccessGrant? in
                guard known.session == nil else {
                    return try SessionStore(client: client, database: database).grant(caller.secret)
                }
                return try KeyReader(client: client, database: database).key(id: known.key.id).map {
                    AccessGrant(key: $0)
                }
            }
            guard let found, found.isGood(now: WallClock.milliseconds()) else { return false }
            return found.key.role == known.key.role && found.key.clients == known.key.clients
        } catch {
            return true
        }
    }

    private static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// Asks a proxy not to collect before it hands on.
    private static let buffering = HTTPField.Name("X-Accel-Buffering")!
}
