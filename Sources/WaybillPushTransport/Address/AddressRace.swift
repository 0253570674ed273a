import WaybillThreads

/// Tries the addresses of one host, each a little after the one before, until the first answers (RFC 8305 §5).
///
/// A later address starts when the earlier ones have had their time, or at once when the last of them fails.
struct AddressRace: Hashable {
    /// What to do next.
    enum Step: Hashable {
        case nothing
        /// Begin to connect to the address at this position.
        case start(Int)
        /// Every address failed; the last error.
        case lost(String)
    }

    private let count: Int
    private let spacing: Duration
    private let deadline: MonotonicTime
    private var started = 0
    private var underWay: Set<Int> = []
    private var nextStart: MonotonicTime
    private var lastError: String?

    /// - Parameters:
    ///   - count: how many addresses there are, at least one.
    ///   - spacing: how long an address is tried before the next one is tried beside it.
    ///   - now: the present.
    ///   - deadline: when all of them must have answered.
    init(count: Int, spacing: Duration, at now: MonotonicTime, until deadline: MonotonicTime) {
        self.count = count
        self.spacing = spacing
        self.deadline = deadline
        nextStart = now
    }

    /// When ``advance(at:)`` must be called at the latest.
    var nextDeadline: MonotonicTime {
        started < count ? min(nextStart, deadline) : deadline
    }

    /// Starts the next address if its time has come; gives up when all the time is over.
    mutating func advance(at now: MonotonicTime) -> Step {
        if now >= deadline { return .lost(lastError ?? "no connection in time") }
        guard started < count, now >= nextStart else { return .nothing }
        let address = started
        started += 1
        underWay.insert(address)
        nextStart = now.advanced(by: spacing)
        return .start(address)
    }

    /// An address under way does not answer.
    mutating func failed(_ address: Int, error: String, at now: MonotonicTime) -> Step {
        guard underWay.remove(address) != nil else { return .nothing }
        lastError = error
        if underWay.isEmpty {
            guard started < count else { return .lost(error) }
            nextStart = now
        }
        return advance(at: now)
    }
}
