import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What changes for people, as it is written: one change stream of the store, while anybody listens.
///
/// It has a thread and a client of its own, which hand each listener what is theirs and wait for none of them. What a listener has
/// missed, the store is asked for by whoever comes back (``AccountEventReplay``).
final class AccountEventFeed: Sendable {
    /// How events are sent.
    enum Way: String, CaseIterable, Sendable {
        case serverSentEvents = "sse"
        case webSocket = "websocket"
    }

    private struct Member: Sendable {
        let listener: EventListener
        let way: Way
        /// Ends the connection, whose client does not read.
        let drop: @Sendable () -> Void
    }

    private struct State: Sendable {
        var phase = FeedPhase.idle
        var members = FeedMembers<Member>()
    }

    private let database: String
    private let state = Guarded(State())
    private let calls: Mailbox<Void>
    let watch = LoopWatch(name: "wb-people-events")

    private static let pause = Duration.seconds(1)

    /// Starts the thread `wb-people-events`, which waits for the first listener.
    ///
    /// - Parameters:
    ///   - pool: with a client for it.
    ///   - database: where events are.
    /// - Throws: `ThreadError`.
    convenience init(pool: MongoPool, database: String) throws {
        // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
        self.init(calls: try Mailbox<Void>(), database)
        _ = try NamedThread.start(name: watch.name) { [self] in work(pool) }
    }

    private init(calls: Mailbox<Void>, _ database: String) {
        self.calls = calls
        self.database = database
    }

    /// Somebody comes to listen.
    ///
    /// - Parameters:
    ///   - account: whose events are theirs.
    ///   - way: how they are sent.
    ///   - drop: ends their connection when they take too little of what is sent.
    /// - Returns: their seat; `nil` when the server ends.
    func join(_ account: String, _ way: Way, drop: @escaping @Sendable () -> Void) -> FeedSeat<EventListener>? {
        let listener = EventListener(account: account)
        let seat = state.withLock { $0.members.join(Member(listener: listener, way: way, drop: drop)) }
        guard let seat else { return nil }
        calls.send(())
        return FeedSeat(listener) { [self] in
            state.withLock { _ = $0.members.leave(seat) }
        }
    }

    var phase: FeedPhase { state.withLock { $0.phase } }
    var listeners: Int { state.withLock { $0.members.count } }
    func listeners(_ way: Way) -> Int { state.withLock { $0.members.all.count { $0.way == way } } }
    /// Listeners that were sent away because they took too little.
    var dropped: Int { state.withLock { $0.members.dropped } }

    /// Lets every listener look what time it is.
    func tick() {
        for member in state.withLock({ $0.members.all }) { member.listener.wake() }
    }

    /// Ends: every listener is told, and nobody comes any more.
    func end() {
        for member in state.withLock({ $0.members.end() }) { member.listener.end() }
        calls.send(())
    }

    // MARK: - The thread

    private func work(_ pool: MongoPool) {
        // The pool has a client for this thread.
        guard let client = try? pool.pop() else { return }
        defer { pool.push(client) }
        var calls: [Void] = []
        while !state.withLock({ $0.members.isEnding }) {
            if listeners == 0 { self.calls.wait(until: nil) }
            self.calls.drain(into: &calls)
            calls.removeAll(keepingCapacity: true)
            guard listeners > 0 else { continue }
            follow(AccountEventTail(client: client, database: database))
            state.withLock { $0.phase = .idle }
            watch.waits()
        }
    }

    /// Hands on what is written, as long as somebody listens.
    private func follow(_ tail: AccountEventTail) {
        while state.withLock({ !$0.members.isEnding && !$0.members.isEmpty }) {
            watch.works()
            do throws(MongoError) {
                let entry = try tail.next()
                let isFirst = state.withLock { state in
                    if case .open = state.phase { return false }
                    state.phase = .open
                    return true
                }
                if let entry { handOn(entry) }
                if isFirst { tick() }
            } catch {
                // Where the place is forgotten, what lies between is missing for everybody.
                if error.isHistoryLost { loseTrack() }
                state.withLock { $0.phase = .away(error) }
                tick()
                watch.waits()
                NamedThread.sleep(for: Self.pause) { state.withLock { $0.members.isEnding } }
            }
        }
    }

    private func handOn(_ entry: AccountEventTail.Entry) {
        let slow = state.withLock { state in
            state.members.drop { $0.listener.account == entry.event.account && !$0.listener.offer(entry) }
        }
        for member in slow {
            // In this order, for whoever is told why.
            member.drop()
            member.listener.end()
        }
    }

    private func loseTrack() {
        for member in state.withLock({ $0.members.all }) { member.listener.loseTrack() }
    }
}
