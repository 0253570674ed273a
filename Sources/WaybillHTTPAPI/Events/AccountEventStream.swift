import NIOCore
import WaybillThreads

/// Server-sent events of one account, until the client goes, the server ends, or the log-in is good no more.
struct AccountEventStream: AsyncSequence, Sendable {
    let subscription: AccountEventSubscription

    /// A sign of life, by which also the ends of dead connections are found; proxies cut after a minute.
    private static let commentInterval = Duration.seconds(15)
    private static let retryMilliseconds = 3000

    func makeAsyncIterator() -> Iterator { Iterator(turns: subscription.turns()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var turns: AccountEventTurns
        private var hasBegun = false
        private var commented = MonotonicTime.now()

        fileprivate init(turns: AccountEventTurns) {
            self.turns = turns
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ByteBuffer? {
            while case .told(let told) = await turns.next(isolation: actor) {
                let text = text(told, .now())
                if !text.isEmpty { return ByteBuffer(string: text) }
            }
            return nil
        }

        /// What there is to send; empty for nothing.
        private mutating func text(_ told: [AccountEventTurns.Told], _ now: MonotonicTime) -> String {
            var text = ""
            if !hasBegun {
                hasBegun = true
                text += ServerSentEvent.retry(AccountEventStream.retryMilliseconds)
            }
            for event in told { text += ServerSentEvent.text(event.name, id: event.id, data: event.data) }
            if now.duration(since: commented) >= AccountEventStream.commentInterval {
                commented = now
                text += ":\n\n"
            }
            return text
        }
    }
}
