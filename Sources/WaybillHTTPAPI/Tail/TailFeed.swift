import WaybillDeliveryLog
import WaybillMongo
import WaybillThreads

/// Records as they are written, for everybody who looks: one change stream of the store, while anybody is there.
///
/// The stream has a thread and a client of its own, which hand each viewer what is theirs and wait for none of them. A viewer that
/// goes away and soon comes back is told what was written in between, from memory.
final class TailFeed: Sendable {
    private struct Watcher: Sendable {
        let viewer: TailViewer
        /// Ends the connection, whose client does not read.
        let drop: @Sendable () -> Void
    }

    private struct State: Sendable {
        var phase = FeedPhase.idle
        /// When the store has said last what is written, be it nothing.
        var heard: MonotonicTime?
        var stream = UInt64.random(in: 0 ... .max)
        var ring: TailRing
        var watchers = FeedMembers<Watcher>()
        /// Since when nobody is there.
        var emptySince = MonotonicTime.now()
    }

    private let options: DeliveryLogOptions
    let limits: TailLimits
    private let state: Guarded<State>
    private let calls: Mailbox<Void>
    let watch: LoopWatch

    /// How many records are handed on at once: viewers come and go in between.
    private static let mostAtOnce = 1000
    /// How long records are collected before they are handed on.
    private static let collectingTime = Duration.milliseconds(250)
    /// Before a store that is away is asked again.
    private static let pause = Duration.seconds(1)

    /// Starts the thread `wb-tail`, which waits for the first viewer.
    ///
    /// - Parameters:
    ///   - pool: with a client for it.
    ///   - options: where the log is.
    ///   - limits: what it may hold.
    /// - Throws: `ThreadError`.
    convenience init(pool: MongoPool, options: DeliveryLogOptions, limits: TailLimits = TailLimits()) throws {
        // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
        self.init(calls: try Mailbox<Void>(), options, limits)
        _ = try NamedThread.start(name: watch.name) { [self] in work(pool) }
    }

    private init(calls: Mailbox<Void>, _ options: DeliveryLogOptions, _ limits: TailLimits) {
        self.calls = calls
        self.options = options
        self.limits = limits
        watch = LoopWatch(name: "wb-tail")
        state = Guarded(State(ring: TailRing(most: limits.records, bytes: limits.bytes)))
    }

    // MARK: - Viewers

    /// Somebody comes to look.
    ///
    /// - Parameters:
    ///   - match: which records are theirs.
    ///   - mark: behind the last event that they have seen; `nil` for one who comes the first time.
    ///   - drop: ends their connection when they take too little of what is sent.
    /// - Returns: their seat; `nil` when the server ends.
    func join(
        _ match: DeliveryMatch,
        after mark: TailMark?,
        drop: @escaping @Sendable () -> Void
    ) -> FeedSeat<TailViewer>? {
        let viewer = TailViewer(match: match, limits: limits, now: .now())
        let seat = state.withLock { state in
            if let mark { Self.resume(viewer, after: mark, state) }
            return state.watchers.join(Watcher(viewer: viewer, drop: drop))
        }
        guard let seat else { return nil }
        calls.send(())
        viewer.wake()
        return FeedSeat(viewer) { [self] in leave(seat) }
    }

    private static func resume(_ viewer: TailViewer, after mark: TailMark, _ state: borrowing State) {
        let end = state.ring.end
        guard mark.stream == state.stream else { return viewer.miss(.unknownID, behind: end) }
        guard let entries = state.ring.entries(from: mark.position) else {
            return viewer.miss(.tooFarBack, behind: end)
        }
        viewer.replay(entries, end: end)
    }

    private func leave(_ seat: Int) {
        state.withLock { state in
            guard state.watchers.leave(seat), state.watchers.isEmpty else { return }
            state.emptySince = .now()
        }
    }

    var phase: FeedPhase { state.withLock { $0.phase } }

    /// Whether the store has said a moment ago what is written, be it nothing: one that hangs is not away before its limits are over.
    func isHeard(now: MonotonicTime) -> Bool {
        state.withLock { state in
            guard case .open = state.phase, let heard = state.heard else { return false }
            return now.duration(since: heard) < limits.silence
        }
    }

    var viewers: Int { state.withLock { $0.watchers.count } }

    /// Viewers that were sent away because they took too little.
    var dropped: Int { state.withLock { $0.watchers.dropped } }

    /// Where a viewer is who has seen all before a position; without one, all that there is.
    func mark(behind position: UInt64? = nil) -> TailMark {
        state.withLock { TailMark(stream: $0.stream, position: position ?? $0.ring.end) }
    }

    /// Lets every viewer look what time it is.
    func tick() {
        for watcher in state.withLock({ $0.watchers.all }) { watcher.viewer.wake() }
    }

    /// Ends: every viewer is told, and nobody comes any more.
    func end() {
        for watcher in state.withLock({ $0.watchers.end() }) { watcher.viewer.end() }
        calls.send(())
    }

    // MARK: - The thread

    private func work(_ pool: MongoPool) {
        // The pool has a client for this thread.
        guard let client = try? pool.pop() else { return }
        defer { pool.push(client) }
        var calls: [Void] = []
        while !state.withLock({ $0.watchers.isEnding }) {
            if state.withLock({ $0.watchers.isEmpty }) { self.calls.wait(until: nil) }
            self.calls.drain(into: &calls)
            calls.removeAll(keepingCapacity: true)
            guard viewers > 0 else { continue }
            follow(DeliveryTail(client: client, options: options, scope: .all, query: DeliveryQuery()))
            watch.waits()
        }
    }

    /// Hands on what is written, as long as somebody looks.
    private func follow(_ tail: DeliveryTail) {
        var wasAway = false
        while mayGoOn() {
            watch.works()
            do throws(MongoError) {
                let batch = try tail.next(showing: Self.mostAtOnce, isLast: true, within: Self.collectingTime)
                var entries = batch.records.map { TailRing.Entry.record($0) }
                if batch.hasGap { entries.insert(.gap(.historyLost), at: 0) }
                if wasAway { entries.insert(.gap(.storeAway), at: 0) }
                wasAway = false
                handOn(entries)
            } catch {
                wasAway = true
                wake { $0.phase = .away(error) }
                watch.waits()
                NamedThread.sleep(for: Self.pause) { state.withLock { $0.watchers.isEnding } }
            }
        }
    }

    /// Whether somebody is there, or was a moment ago; if not, all is forgotten.
    private func mayGoOn() -> Bool {
        state.withLock { state in
            if state.watchers.isEnding { return false }
            if !state.watchers.isEmpty { return true }
            if MonotonicTime.now().duration(since: state.emptySince) < limits.patience { return true }
            state.phase = .idle
            state.stream = .random(in: 0 ... .max)
            state.ring = TailRing(most: limits.records, bytes: limits.bytes)
            return false
        }
    }

    private func handOn(_ entries: [TailRing.Entry]) {
        let now = MonotonicTime.now()
        var slow: [Watcher] = []
        let isFirst = state.withLock { state in
            let isFirst = if case .open = state.phase { false } else { true }
            state.phase = .open
            state.heard = now
            guard !entries.isEmpty else { return isFirst }
            let first = state.ring.end
            for entry in entries { state.ring.append(entry) }
            slow = state.watchers.drop { !$0.viewer.offer(entries, first: first, now: now) }
            if state.watchers.isEmpty { state.emptySince = now }
            return isFirst
        }
        for watcher in slow {
            watcher.viewer.end()
            watcher.drop()
        }
        if isFirst || !entries.isEmpty { tick() }
    }

    private func wake(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        tick()
    }
}
