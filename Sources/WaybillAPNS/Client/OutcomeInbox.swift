import WaybillThreads

/// Where the outcomes of many notifications wait for whoever reads them, in the rows in which they came.
///
/// One lock for a row, none for an item; what to do is decided by an ``OutcomeBuffer``.
final class OutcomeInbox: OutcomeReceiver {
    private struct State {
        var buffer: OutcomeBuffer
        var readers: [CheckedContinuation<Void, Never>] = []
        var writers: [CheckedContinuation<Void, Never>] = []
        /// Enters the notifications of a sequence.
        var feeder: Task<Void, Never>?
    }

    private let state: Guarded<State>

    /// - Parameter capacity: how many notifications may be without an outcome that was read; whoever enters more waits.
    init(capacity: Int) {
        state = Guarded(State(buffer: OutcomeBuffer(capacity: capacity)))
    }

    // MARK: Entering

    /// Enters a whole batch of which some were refused; nothing follows.
    func enter(apnsIDs: [APNSID], refused: [APNSBatch.Outcome]) {
        state.withLock { $0.buffer.enter(apnsIDs: apnsIDs, refused: refused) }
    }

    /// Waits until there is room for another notification.
    ///
    /// - Returns: `false` when the reader has left.
    func hasRoom() async -> Bool {
        while true {
            let answer = state.withLock { state -> Bool? in
                if state.buffer.isAbandoned { return false }
                return state.buffer.takeRoom() ? true : nil
            }
            if let answer { return answer }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.buffer.isAbandoned || state.buffer.hasWantedRoom { return true }
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
        state.withLock { $0.buffer.enter(OutcomeBuffer.Entry(index: index, apnsID: apnsID)) }
    }

    /// Gives a notification its outcome that was entered and not handed over.
    func refuse(number: Int, _ error: APNSError) {
        change { $0.refuse(number, error) }
    }

    /// Nothing more is entered.
    func finish() {
        change { $0.finish() }
    }

    /// A task enters notifications, until it is cancelled.
    func feed(by feeder: Task<Void, Never>) {
        state.withLock { $0.feeder = feeder }
    }

    // MARK: Reading

    func receive(_ outcomes: ArraySlice<APNSOutcome>) {
        change { $0.add(outcomes) }
    }

    /// Everything that came since the last call, at least one outcome; empty at the end.
    func take() async -> [APNSBatch.Outcome] {
        while true {
            switch look() {
            case .outcomes(let rows, let entries, let ready):
                return ready + zip(rows.joined(), entries).compactMap(Self.outcome)
            case .end:
                return []
            case .nothingYet:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.buffer.isReadable { return true }
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
        change { $0.putBack(outcomes) }
    }

    /// Whether an outcome is still to be read, or to come.
    var hasUnread: Bool { state.withLock { $0.buffer.hasUnread } }

    /// The reader has left: nothing more is entered.
    func abandon() {
        let (writers, feeder) = state.withLock { state in
            state.buffer.abandon()
            return (Self.takeAll(&state.writers), state.feeder.take())
        }
        feeder?.cancel()
        for writer in writers { writer.resume() }
    }

    /// Nobody can read any more.
    func discard() {
        state.withLock { $0.buffer.discard() }
    }

    var isAbandoned: Bool { state.withLock { $0.buffer.isAbandoned } }

    private func look() -> OutcomeBuffer.Found {
        let (found, writers) = state.withLock { state in
            let found = state.buffer.take()
            return (found, state.buffer.hasWantedRoom ? Self.takeAll(&state.writers) : [])
        }
        for writer in writers { writer.resume() }
        return found
    }

    private static func outcome(_ outcome: APNSOutcome, _ entry: OutcomeBuffer.Entry?) -> APNSBatch.Outcome? {
        guard let entry else { return nil }
        return APNSBatch.Outcome(
            index: entry.index,
            apnsID: entry.apnsID,
            result: outcome.result(for: entry.apnsID)
        )
    }

    /// Changes the buffer in a way that a reader may have waited for.
    private func change(_ change: (inout OutcomeBuffer) -> Void) {
        let readers = state.withLock { state in
            change(&state.buffer)
            return state.buffer.isReadable ? Self.takeAll(&state.readers) : []
        }
        for reader in readers { reader.resume() }
    }

    private static func takeAll<Element>(_ list: inout [Element]) -> [Element] {
        defer { list = [] }
        return list
    }
}
