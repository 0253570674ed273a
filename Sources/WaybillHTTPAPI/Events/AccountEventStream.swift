import NIOCore
import ServiceLifecycle
import WaybillNotifications
import WaybillTLS
import WaybillThreads

/// Server-sent events of one account, until the client goes, the server ends, or the log-in is good no more.
struct AccountEventStream: AsyncSequence, Sendable {
    let seat: EventSeat
    /// Writes places as ids of events.
    let seal: Seal
    /// Held as long as the stream is.
    let place: StreamPlace
    /// Held as long as the stream is, which ends when the client goes.
    let watch: GoneClientWatch
    /// Asks whether the log-in still holds.
    let isWelcome: @Sendable () async -> Bool

    /// A sign of life, by which also the ends of dead connections are found; proxies cut after a minute.
    private static let commentInterval = Duration.seconds(15)
    private static let welcomeInterval = Duration.seconds(20)
    private static let retryMilliseconds = 3000

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: self, signals: seat.listener.signals.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: AccountEventStream
        fileprivate var signals: AsyncStream<Void>.Iterator
        private var hasBegun = false
        private var commented = MonotonicTime.now()
        private var asked = MonotonicTime.now()

        fileprivate init(stream: AccountEventStream, signals: AsyncStream<Void>.Iterator) {
            self.stream = stream
            self.signals = signals
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ByteBuffer? {
            while !Task.isShuttingDownGracefully {
                let now = MonotonicTime.now()
                if now.duration(since: asked) >= AccountEventStream.welcomeInterval {
                    asked = now
                    guard await stream.isWelcome() else { return nil }
                }
                let text = text(now)
                if !text.isEmpty { return ByteBuffer(string: text) }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }

        /// What there is to send; empty for nothing.
        private mutating func text(_ now: MonotonicTime) -> String {
            var text = ""
            if !hasBegun {
                hasBegun = true
                text += ServerSentEvent.retry(AccountEventStream.retryMilliseconds)
            }
            for item in stream.seat.listener.take() { text += stream.text(item) }
            if now.duration(since: commented) >= AccountEventStream.commentInterval {
                commented = now
                text += ":\n\n"
            }
            return text
        }
    }

    private func text(_ item: EventListener.Item) -> String {
        switch item {
        case .reset: ServerSentEvent.text("reset", data: "{}")
        case .event(let entry):
            ServerSentEvent.text(
                entry.event.kind.word,
                id: seal.eventID(entry.position),
                data: entry.event.data
            )
        }
    }
}

extension AccountEvent.Kind {
    /// As clients read it.
    fileprivate var word: StaticString {
        switch self {
        case .notification: "notification"
        case .read: "read"
        case .acknowledged: "acknowledged"
        case .service: "service"
        case .membership: "membership"
        }
    }
}
