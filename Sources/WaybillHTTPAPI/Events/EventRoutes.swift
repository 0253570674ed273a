import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillTLS
import WaybillThreads

/// What changes for an account, as it happens.
struct EventRoutes: Sendable {
    let parts: NoticeParts

    var endpoints: [PersonEndpoint] {
        [PersonEndpoint(method: .get, path: "/v1/events", answer: .person(listen))]
    }

    /// Server-sent events, until the client goes: behind `Last-Event-ID` where it has one, else from now on.
    private func listen(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let headers: HTTPFields = [.contentType: "text/event-stream", .accelBuffering: "no"]
        // A stream without a body has nothing to wait for.
        guard request.head.method != .head else { return Response(status: .ok, headers: headers) }
        guard let feed = parts.events else { throw Self.ending }
        let account = person.account.id
        let place = try parts.places.take(account)
        let seal = try await parts.cursors.ready(until: request.context.deadline, for: account)
        let channel = request.context.channel
        guard let seat = feed.join(account, drop: { channel.close(promise: nil) }) else { throw Self.ending }
        let listener = seat.listener
        let watch = GoneClientWatch(channel) { listener.end() }
        try await open(feed, listener, until: request.context.deadline)
        listener.begin(with: try await missed(request, account, seal))
        let stream = AccountEventStream(
            seat: seat,
            seal: seal,
            place: place,
            watch: watch,
            isWelcome: { await isWelcome(person) }
        )
        return Response(status: .ok, headers: headers, body: ResponseBody(asyncSequence: stream))
    }

    /// What somebody who comes back has missed; nothing for one who comes the first time, `nil` where nobody knows.
    private func missed(
        _ request: PersonRequest,
        _ account: String,
        _ seal: Seal
    ) async throws(Problem) -> [AccountEventTail.Entry]? {
        guard let id = request.head.headers[.lastEventID] else { return [] }
        guard let position = seal.position(ofEvent: id) else { return nil }
        let (door, now) = (parts.door, WallClock.milliseconds())
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try AccountEventReplay.read(after: position, of: account, now: now, client, database: door.database)
        }
        return try found.mapError { Problem(asking: $0) }.get()
    }

    /// Waits until the store hands out events: what is written from then on is not missed.
    private func open(
        _ feed: AccountEventFeed,
        _ listener: EventListener,
        until deadline: MonotonicTime
    ) async throws(Problem) {
        var signals = listener.signals.makeAsyncIterator()
        while true {
            switch feed.phase {
            case .open: return
            case .away(let error) where error.code == .accessRefused: throw Problem(asking: error)
            case .away, .idle: break
            }
            guard MonotonicTime.now() < deadline else {
                throw .unavailable("the store does not hand out what is written")
            }
            guard await signals.next() != nil else { throw Self.ending }
        }
    }

    /// Whether a log-in still holds; where the store does not say, it does: nothing comes from there meanwhile.
    private func isWelcome(_ person: Person) async -> Bool {
        let (door, login, account) = (parts.door, person.login.id, person.account.id)
        let (deadline, now) = (MonotonicTime.now().advanced(by: APILimits.handlingTime), WallClock.milliseconds())
        let found = try? await door.people.ask(until: deadline, for: account) { client throws(MongoError) in
            guard let account = try AccountReader(client: client, database: door.database).account(id: account),
                account.suspendedAt == nil
            else { return false }
            return try LoginStore(client: client, database: door.database, rules: door.rules)
                .holding(of: account, now: now).contains { $0.id == login }
        }
        return found ?? true
    }

    private static let ending = Problem.unavailable("the server is about to end")
}

extension HTTPField.Name {
    /// The last event that a client of server-sent events has seen.
    static let lastEventID = Self("Last-Event-ID")!
    /// Asks a proxy not to collect before it hands on.
    static let accelBuffering = Self("X-Accel-Buffering")!
}
