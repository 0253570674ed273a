import WaybillPushTransport
import WaybillThreads

/// The ends of many messages that were handed over together, as they come.
///
///     for await end in client.send(messages) {
///         if case .success(let response) = end.result, response.action == .removeToken { … }
///     }
///
/// Each message has exactly one end, also one that is not valid. Their order is that of FCM's answers.
///
/// Leaving the loop, dropping the batch or cancelling the task takes back what has not left for FCM. A cancelled task's loop
/// goes on to the last end, which the deadlines bound: what was taken back ends as ``FCMError/Code/cancelled``.
public struct FCMBatch: AsyncSequence, Sendable {
    /// What became of one message of a batch.
    public struct End: Hashable, Sendable {
        /// The message's position in what was sent, counted from 0.
        public let index: Int
        /// FCM's answer, or why there is none.
        public let result: Result<FCMResponse, FCMError>

        /// Creates an end, for tests of what handles it.
        public init(index: Int, result: Result<FCMResponse, FCMError>) {
            self.index = index
            self.result = result
        }
    }

    /// Hands out the ends that have come; for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let hold: BatchHold

        /// The next end; `nil` after the last one.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> End? {
            let hold = hold
            return await withTaskCancellationHandler {
                await hold.inbox.next()
            } onCancel: {
                hold.leave()
            }
        }
    }

    private let hold: BatchHold
    /// The number of messages in the batch.
    public let count: Int

    init(hold: BatchHold, count: Int) {
        self.hold = hold
        self.count = count
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(hold: hold)
    }
}

/// Ends with the last copy of a batch, and takes back what nobody waits for any more.
final class BatchHold: Sendable {
    let inbox: BatchInbox
    private let driver: PushDriver<FCMService>

    init(inbox: BatchInbox, driver: PushDriver<FCMService>) {
        self.inbox = inbox
        self.driver = driver
    }

    deinit {
        leave()
    }

    /// Takes back what has not left.
    func leave() {
        driver.withdraw(owner: inbox, lane: 0)
    }
}

/// The ends of a batch between the driver's thread and the task that reads them.
final class BatchInbox: FCMOutcomeReceiver {
    private struct State {
        var ends: [FCMBatch.End] = []
        var position = 0
        /// How many ends have not come yet.
        var open: Int
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state: Guarded<State>

    init(count: Int) {
        state = Guarded(State(open: count))
    }

    func receive(_ outcome: FCMOutcome) {
        receive(FCMBatch.End(index: outcome.index, result: outcome.response))
    }

    /// Takes an end; any thread.
    func receive(_ end: FCMBatch.End) {
        let continuation = state.withLock { state in
            state.ends.append(end)
            state.open -= 1
            return state.continuation.take()
        }
        continuation?.resume()
    }

    func next() async -> FCMBatch.End? {
        while true {
            let (end, isOver) = state.withLock { state -> (FCMBatch.End?, Bool) in
                guard state.position < state.ends.count else { return (nil, state.open == 0) }
                defer {
                    state.position += 1
                    if state.position == state.ends.count {
                        state.ends.removeAll(keepingCapacity: true)
                        state.position = 0
                    }
                }
                return (state.ends[state.position], false)
            }
            if end != nil || isOver { return end }
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    guard state.position == state.ends.count, state.open > 0 else { return true }
                    state.continuation = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        }
    }
}

extension FCMClient {
    /// Sends messages together and streams their ends back.
    ///
    /// They are handed over at once, before this returns. The caller bounds what is in flight: what waits for longer than
    /// four minutes ends as not sent.
    ///
    /// - Parameter messages: what to send; each has a request of its own, for FCM knows no other way. Urgent ones go first.
    /// - Returns: the ends, one for each message; a value that is not allowed is one of them.
    public func send(_ messages: [FCMMessage]) -> FCMBatch {
        let inbox = BatchInbox(count: messages.count)
        var requests: [FCMRequest] = []
        requests.reserveCapacity(messages.count)
        for (index, message) in messages.enumerated() {
            do throws(FCMError) {
                requests.append(try FCMRequest(message, index: index))
            } catch {
                inbox.receive(FCMBatch.End(index: index, result: .failure(error)))
            }
        }
        submit(requests, for: inbox)
        return FCMBatch(hold: BatchHold(inbox: inbox, driver: driver), count: messages.count)
    }
}
