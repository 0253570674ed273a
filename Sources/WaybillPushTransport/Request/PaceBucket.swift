package import WaybillThreads

/// How many requests a lane may send: a token bucket that fills slowly at first, and more slowly after a refusal.
///
/// What is urgent goes at the whole rate, whatever the ramp says, and counts like the others; a refusal's silence holds it,
/// too.
///
/// Pure; the caller brings the time.
package struct PaceBucket {
    /// The settings of a bucket.
    package struct Settings: Hashable, Sendable {
        /// Requests in a second once the ramp is over; above 0.
        package var rate: Double
        /// How long the rate takes to grow from a tenth to its whole, at the start and after a refusal.
        package var ramp: Duration

        package init(rate: Double, ramp: Duration = .seconds(60)) {
            self.rate = rate
            self.ramp = ramp
        }
    }

    /// The part of the rate that a ramp begins with.
    private static let leastShare = 0.1
    /// How much may gather: what comes in so long a time.
    private static let burst = 0.1

    private let settings: Settings
    /// The share of the rate when the ramp began.
    private var share = leastShare
    private var rampBegan: MonotonicTime?
    private var filled: MonotonicTime?
    private var gathered = 1.0
    /// The same for what is urgent: it fills at the whole rate.
    private var gatheredUrgent = 1.0
    private var silentUntil: MonotonicTime?

    package init(_ settings: Settings) {
        self.settings = settings
    }

    /// The requests in a second at a moment.
    package func rate(at now: MonotonicTime) -> Double {
        settings.rate * currentShare(at: now)
    }

    private func currentShare(at now: MonotonicTime) -> Double {
        guard let rampBegan, settings.ramp > .zero else { return rampBegan == nil ? share : 1 }
        let progress = now.duration(since: rampBegan) / settings.ramp
        return min(1, share + (1 - share) * max(0, progress))
    }

    /// How many requests may go now.
    package mutating func available(at now: MonotonicTime, isUrgent: Bool = false) -> Int {
        fill(at: now)
        if let silentUntil {
            guard silentUntil <= now else { return 0 }
            self.silentUntil = nil
            // What came in meanwhile would go in one burst.
            empty()
        }
        return max(0, Int(isUrgent ? gatheredUrgent : gathered))
    }

    private mutating func empty() {
        gathered = min(gathered, 1)
        gatheredUrgent = min(gatheredUrgent, 1)
    }

    private mutating func fill(at now: MonotonicTime) {
        if rampBegan == nil { rampBegan = now }
        defer { filled = now }
        guard let filled else { return }
        let rate = rate(at: now)
        let seconds = max(0, now.duration(since: filled) / Duration.seconds(1))
        gathered = min(gathered + rate * seconds, max(1, rate * Self.burst))
        gatheredUrgent = min(gatheredUrgent + settings.rate * seconds, max(1, settings.rate * Self.burst))
    }

    /// So many requests have gone.
    package mutating func spend(_ count: Int) {
        gathered -= Double(count)
        gatheredUrgent -= Double(count)
    }

    /// When the next request may go.
    package func next(at now: MonotonicTime, isUrgent: Bool = false) -> MonotonicTime {
        let missing = isUrgent ? max(0, 1 - gatheredUrgent) / settings.rate : max(0, 1 - gathered) / rate(at: now)
        let time = now.advanced(by: .nanoseconds(Int64((missing * 1e9).rounded(.up))))
        return silentUntil.map { max($0, time) } ?? time
    }

    /// The service says that it is too much: nothing goes for so long, then half as much as before, growing again.
    package mutating func refused(wait: Duration, at now: MonotonicTime) {
        let end = now.advanced(by: wait)
        // Requests that were under way together are refused together: that is one refusal.
        if silentUntil == nil { share = max(currentShare(at: now) / 2, Self.leastShare) }
        silentUntil = silentUntil.map { max($0, end) } ?? end
        rampBegan = silentUntil
        empty()
    }
}
