import WaybillNotifications
import WaybillThreads

/// What waits for one listener, until it is written.
final class EventListener: Sendable {
    /// What is sent next.
    enum Item: Sendable {
        case event(AccountEventTail.Entry)
        /// Events before this are missing: what there is, must be read anew.
        case reset
    }

    private struct State: Sendable {
        var items: [Item] = []
        /// Events that were missed and sent, of which the feed may hand on some once more.
        var replayed: Set<String> = []
        var isReady = false
    }

    /// More than this wait for nobody.
    static let most = 500

    let account: String
    /// Comes when there may be something to send, or the time to look at; ends with the listener.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let state = Guarded(State())

    init(account: String) {
        self.account = account
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// - Returns: false where too much waits already.
    func offer(_ entry: AccountEventTail.Entry) -> Bool {
        let isTaken = state.withLock { state in
            // It was among what the listener had missed.
            if state.replayed.remove(entry.event.id) != nil { return true }
            guard state.items.count < Self.most else { return false }
            state.items.append(.event(entry))
            return true
        }
        wake()
        return isTaken
    }

    func loseTrack() {
        state.withLock { $0.items.append(.reset) }
        wake()
    }

    /// Puts what the listener has missed in front of what has come since it joined; from now on ``take()`` gives what there is.
    ///
    /// - Parameter missed: in the order of the store; `nil`: nobody knows what it has missed.
    func begin(with missed: [AccountEventTail.Entry]?) {
        state.withLock { state in
            state.isReady = true
            guard let missed else { return state.items.insert(.reset, at: 0) }
            let known = Set(missed.map(\.event.id))
            state.items =
                missed.map(Item.event)
                + state.items.filter { item in
                    guard case .event(let entry) = item else { return true }
                    return !known.contains(entry.event.id)
                }
            state.replayed = known
        }
        wake()
    }

    /// What there is to send, each once.
    func take() -> [Item] {
        state.withLock { state in
            guard state.isReady else { return [] }
            defer { state.items.removeAll() }
            return state.items
        }
    }

    func wake() { signal.yield(()) }

    func end() { signal.finish() }
}
