import WaybillThreads

/// When a lane opens a connection, and when it closes one that nobody needs.
///
/// The first opens when there is something to send; a further one when those that are open are full, one at a time and
/// never in a burst (services take a burst for an attack); the next one after a GOAWAY or a break at once. How long
/// addresses that failed are left alone, ``AddressBackoff`` says.
struct ConnectionPlan {
    /// What the lane has at the moment.
    struct Situation {
        /// Requests that wait, after every open connection took what it could.
        var waiting: Int
        /// Whether what waits has something to prove its sender with: without it, one connection is enough.
        var mayBeSent = true
        /// Connections that may carry new requests.
        var open: Int
        /// Connections on their way.
        var pending: Int
        /// When the endpoint may be tried again; `nil` for at once.
        var notBefore: MonotonicTime?
    }

    private let limit: Int
    private let spacing: Duration
    private var lastOpened: MonotonicTime?
    /// Connections that ended while they were needed: replacing them is no growth.
    private var replacements = 0

    init(limit: Int, spacing: Duration) {
        self.limit = limit
        self.spacing = spacing
    }

    /// Whether to open a connection now, or when to ask again; `nil` when only a change of the situation can matter.
    func nextOpening(_ situation: Situation, at now: MonotonicTime) -> MonotonicTime? {
        let isWanted = situation.waiting > 0 && (situation.mayBeSent || situation.open == 0)
        guard isWanted || replacements > 0, situation.pending == 0, situation.open < limit else { return nil }
        var earliest = now
        if situation.open > 0, replacements == 0, let lastOpened {
            earliest = max(earliest, lastOpened.advanced(by: spacing))
        }
        if let notBefore = situation.notBefore { earliest = max(earliest, notBefore) }
        return earliest
    }

    mutating func opened(at now: MonotonicTime) {
        lastOpened = now
        replacements = max(0, replacements - 1)
    }

    /// A connection that was in use takes no more requests.
    mutating func lost() {
        replacements = min(replacements + 1, limit)
    }

    /// Which of the open connections has carried nothing for too long; the last one of a lane never has.
    ///
    /// - Parameters:
    ///   - idleSince: of each open connection, `nil` for one that is in use.
    ///   - patience: how long a connection may be idle.
    ///   - now: the present.
    /// - Returns: the connection to close now, by its position, or when to ask again.
    static func surplus(
        idleSince: [MonotonicTime?],
        patience: Duration,
        at now: MonotonicTime
    ) -> (position: Int?, next: MonotonicTime?) {
        guard idleSince.count > 1 else { return (nil, nil) }
        var next: MonotonicTime?
        // From the last, because requests go to the first connections as long as those have room.
        for (position, since) in idleSince.enumerated().reversed() {
            guard let due = since?.advanced(by: patience) else { continue }
            if due <= now { return (position, nil) }
            next = min(next ?? due, due)
        }
        return (nil, next)
    }
}
