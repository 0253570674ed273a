import Synchronization

/// Where the outcomes of many notifications wait for whoever reads them, in the rows in which they came.
///
/// Each notification that is entered has exactly one outcome here. One lock for a row, none for an item.
final class OutcomeInbox: OutcomeReceiver {
    /// A notification that has no outcome yet, or one that nobody has read.
    private struct Entry {
        let index: Int
        let apnsID: APNSID
    }

    private struct State {
        /// By the number that a request carries through the driver.
        var entries: [Entry?] = []
        /// Numbers that are used again.
        var free: [Int] = []
        /// How many entries are in use.
        var open = 0
        var rows: [ArraySlice<APNSOutcome>] = []
        /// Outcomes of notifications that were never handed over, and those that a reader has put back.
        var ready: [APNSBatch.Outcome] = []
        /// Nothing more is entered.
        var isFinished = false
        /// Whoever enters has to wait until this many entries are free.
        var wanted = 0
        /// The reader has left.
        var isAbandoned = false
        /// Enters the notifications of a sequence.
        var feeder: Task<Void, Never>?
        var readers: [CheckedContinuation<Void, Never>] = []
        var writers: [CheckedContinuation<Void, Never>] = []
    }

    /// What a reader finds.
    private enum Found {
        /// The entries are in the order of the rows.
        case outcomes([ArraySlice<APNSOutcome>], [Entry?], ready: [APNSBatch.Outcome])
        case nothingYet
        case end
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: how many notifications may be without a read outcome; whoever enters more has to wait.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    // MARK: Entering

    /// Enters a whole batch of which some were refused; nothing follows.
    func enter(apnsIDs: [APNSID], open: Int, refused: [APNSBatch.Outcome]) {
        state.withLock { state in
            state.entries = apnsIDs.enumerated().map { Entry(index: $0.offset, apnsID: $0.element) }
            state.open = open
            state.ready = refused
            state.isFinished = true
        }
    }

    /// Waits until there is room for another notification.
    ///
    /// When there is none, a quarter of the room has to become free, so that the two sides do not wake each other for
    /// every single one.
    ///
    /// - Returns: `false` when the reader has left.
    func hasRoom() async -> Bool {
        while true {
            let answer = state.withLock { state -> Bool? in
                if state.isAbandoned { return false }
                let room = capacity - state.open - state.ready.count
                if room >= max(1, state.wanted) {
                    state.wanted = 0
                    return true
                }
                state.wanted = max(1, capacity / 4)
                return nil
            }
            if let answer { return answer }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    let room = capacity - state.open - state.ready.count
                    if state.isAbandoned || room >= state.wanted { return true }
                    state.writers.append(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// Enters one notification.
    ///
    /// - Returns: the number for its request.
    func enter(index: Int, apnsID: APNSID) -> Int {
        state.withLock { state in
            state.open += 1
            let entry = Entry(index: index, apnsID: apnsID)
            guard let number = state.free.popLast() else {
                state.entries.append(entry)
                return state.entries.count - 1
            }
            state.entries[number] = entry
            return number
        }
    }

    /// Takes a notification back that was entered and not handed over.
    func refuse(number: Int, _ error: APNSError) {
        wakeReaders { state in
            guard let entry = state.entries[number].take() else { return }
            state.free.append(number)
            state.open -= 1
            state.ready.append(
                APNSBatch.Outcome(index: entry.index, apnsID: entry.apnsID, result: .failure(error))
            )
        }
    }

    /// Nothing more is entered.
    func finish() {
        wakeReaders { $0.isFinished = true }
    }

    // MARK: Outcomes

    func receive(_ outcomes: ArraySlice<APNSOutcome>) {
        wakeReaders { $0.rows.append(outcomes) }
    }

    /// Everything that came since the last call, at least one outcome; empty at the end.
    func take() async -> [APNSBatch.Outcome] {
        while true {
            switch look() {
            case .outcomes(let rows, let entries, let ready):
                return ready
                    + zip(rows.joined(), entries).compactMap { outcome, entry in
                        entry.map { entry in
                            APNSBatch.Outcome(
                                index: entry.index,
                                apnsID: entry.apnsID,
                                result: outcome.result(for: entry.apnsID)
                            )
                        }
                    }
            case .end:
                return []
            case .nothingYet:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if Self.isReadable(state) { return true }
                        state.readers.append(continuation)
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            }
        }
    }

    /// Takes back what a reader took and did not use.
    func putBack(_ outcomes: ArraySlice<APNSBatch.Outcome>) {
        wakeReaders { $0.ready = outcomes + $0.ready }
    }

    /// Whether an outcome is still to be read.
    var hasUnread: Bool { state.withLock { $0.open > 0 || !$0.ready.isEmpty || !$0.isFinished } }

    /// A task enters notifications, until it is cancelled.
    func feed(by feeder: Task<Void, Never>) {
        state.withLock { $0.feeder = feeder }
    }

    /// The reader has left: nothing more is entered.
    func abandon() {
        let (writers, feeder) = state.withLock { state in
            state.isAbandoned = true
            return (Self.takeAll(&state.writers), state.feeder.take())
        }
        feeder?.cancel()
        for writer in writers { writer.resume() }
    }

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    private func look() -> Found {
        let (found, writers) = state.withLock { state -> (Found, [CheckedContinuation<Void, Never>]) in
            guard Self.isReadable(state) else { return (.nothingYet, []) }
            guard !state.rows.isEmpty || !state.ready.isEmpty else { return (.end, []) }
            let rows = Self.takeAll(&state.rows)
            let ready = Self.takeAll(&state.ready)
            var entries: [Entry?] = []
            for outcome in rows.joined() {
                // The driver hands out each request once, under the number that it was entered with.
                entries.append(state.entries[outcome.index].take())
                state.free.append(outcome.index)
                state.open -= 1
            }
            let room = capacity - state.open
            let writers = room >= state.wanted ? Self.takeAll(&state.writers) : []
            return (.outcomes(rows, entries, ready: ready), writers)
        }
        for writer in writers { writer.resume() }
        return found
    }

    private static func isReadable(_ state: borrowing State) -> Bool {
        !state.rows.isEmpty || !state.ready.isEmpty || (state.isFinished && state.open == 0)
    }

    private func wakeReaders(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            return Self.takeAll(&state.readers)
        }
        for reader in readers { reader.resume() }
    }

    private static func takeAll<Element>(_ list: inout [Element]) -> [Element] {
        defer { list = [] }
        return list
    }
}
