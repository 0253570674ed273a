import NIOCore
import ServiceLifecycle
import WaybillNotifications
import WaybillTLS
import WaybillThreads

/// What one app or browser of an account listens to, however it is sent; it ends with its last reference.
struct AccountEventSubscription: Sendable {
    let seat: FeedSeat<EventListener>
    /// Writes places as ids of events.
    let seal: Seal
    /// Held as long as somebody listens.
    let place: StreamPlace
    /// Held as long as somebody listens; whoever goes listens no more.
    let watch: GoneClientWatch
    /// Asks whether the log-in still holds.
    let isWelcome: @Sendable () async -> Bool

    /// What there is to tell, turn by turn.
    func turns() -> AccountEventTurns {
        AccountEventTurns(subscription: self, signals: seat.listener.signals.makeAsyncIterator())
    }
}

/// The turns of a subscription: whenever there may be something to tell, and once a second.
struct AccountEventTurns {
    /// One event, as it is told.
    struct Told: Sendable {
        let name: StaticString
        /// By which a client that comes back goes on; `nil` for what leaves that as it is.
        let id: String?
        /// An object, as JSON.
        let data: String
    }

    enum Turn: Sendable {
        /// What has come: often nothing, and then it is the time to look at the clock.
        case told([Told])
        /// The log-in holds no more.
        case sessionEnded
        /// The server ends, or nobody listens any more.
        case over
    }

    private static let welcomeInterval = Duration.seconds(20)

    private let subscription: AccountEventSubscription
    private var signals: AsyncStream<Void>.Iterator
    private var isFirst = true
    private var asked = MonotonicTime.now()

    fileprivate init(subscription: AccountEventSubscription, signals: AsyncStream<Void>.Iterator) {
        self.subscription = subscription
        self.signals = signals
    }

    /// Waits for the next turn; the first one comes at once.
    mutating func next(isolation actor: isolated (any Actor)?) async -> Turn {
        if !isFirst {
            guard await signals.next(isolation: actor) != nil else { return .over }
        }
        isFirst = false
        guard !Task.isShuttingDownGracefully else { return .over }
        let now = MonotonicTime.now()
        if now.duration(since: asked) >= Self.welcomeInterval {
            asked = now
            guard await subscription.isWelcome() else { return .sessionEnded }
        }
        return .told(subscription.seat.listener.take().map(told))
    }

    private func told(_ item: EventListener.Item) -> Told {
        switch item {
        case .reset: Told(name: "reset", id: nil, data: "{}")
        case .event(let entry):
            Told(
                name: entry.event.kind.word,
                id: subscription.seal.eventID(entry.position),
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
