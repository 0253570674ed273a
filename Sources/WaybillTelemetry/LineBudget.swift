/// How many log lines of one kind are written: some at once, then one a second, and with the next the number of those that
/// were left out.
///
/// A fault that repeats a thousand times a second fills no disk, and hides no line of another kind.
struct LineBudget {
    enum Decision: Hashable {
        /// Write the line; so many of its kind were left out since the last one.
        case write(suppressed: Int)
        case suppress
    }

    /// Lines of a kind that may come at once.
    static let burst = 50
    /// What each kind gets back.
    static let interval = Duration.seconds(1)
    /// Kinds that are told apart; names come from the code, but a lane's or a reason's do not.
    static let mostKinds = 512

    private struct Bucket {
        var tokens: Int
        var filledAt: ContinuousClock.Instant
        var suppressed = 0
    }

    private var buckets: [LineKind: Bucket] = [:]

    /// Decides about a line.
    ///
    /// - Parameters:
    ///   - kind: what the line is about.
    ///   - now: the present; never earlier than before.
    /// - Returns: whether to write it.
    mutating func decide(_ kind: LineKind, now: ContinuousClock.Instant) -> Decision {
        // When there is no room for another kind, all that are new share their event's.
        let kind = buckets[kind] == nil && buckets.count >= Self.mostKinds ? kind.coarse : kind
        var bucket = buckets[kind] ?? Bucket(tokens: Self.burst, filledAt: now)
        defer { buckets[kind] = bucket }
        let gained = Int((now - bucket.filledAt) / Self.interval)
        if gained > 0 {
            bucket.tokens = min(Self.burst, bucket.tokens + gained)
            bucket.filledAt += Self.interval * gained
        }
        guard bucket.tokens > 0 else {
            bucket.suppressed += 1
            return .suppress
        }
        bucket.tokens -= 1
        defer { bucket.suppressed = 0 }
        return .write(suppressed: bucket.suppressed)
    }
}

/// What makes two log lines lines of one kind.
struct LineKind: Hashable {
    /// The event's name, or the sentence of a line without one.
    var name: String
    var lane = ""
    /// The machine's word for the reason, at most ``longestReason`` bytes; empty where the reason is a sentence, which may differ each time.
    var reason = ""

    static let longestReason = 40

    /// The same without what comes from outside.
    var coarse: LineKind { LineKind(name: name) }
}
