/// How long a notification was put off without being sent, because of its lane: an entry of a record's `waited`.
package struct LaneWait: Hashable, Sendable {
    /// What kept the lane from sending it.
    package enum Reason: String, CaseIterable, Sendable {
        /// An operator had paused it, or was draining it.
        case paused
        /// The provider refused it as such, and it was parked.
        case refused
        /// There was no connection or no provider token, or nothing was taken, and it was parked.
        case unreachable
        /// The provider had asked for silence.
        case retryAfter = "retry_after"
        /// It had its share of the process, and did not get on.
        case slow
        /// It sent again, and the rest of a delay that had begun before had to pass in the delay queue.
        case delayed
        /// It was taken back, or not sent, for a reason that was over when it was noted.
        case notSent = "not_sent"
    }

    package var reason: Reason
    /// When it was put off first, in milliseconds since 1970.
    package var from: Int64
    /// When the last delay was over, in milliseconds since 1970; `nil` where that was still to come.
    package var until: Int64?
    /// How often it was put off, 1 and above.
    package var times: Int

    package init(_ reason: Reason, from: Int64, until: Int64? = nil, times: Int = 1) {
        self.reason = reason
        self.from = from
        self.until = until
        self.times = times
    }
}

extension [LaneWait] {
    /// Entries that are kept: of more than these, the first ones and the last ones.
    package static var limit: Int { 8 }
    private static var firstOnes: Int { 2 }
    /// What lies between two waits of one reason at the most, in milliseconds, if they are told as one: the way from the delay
    /// queue back to a dispatcher.
    private static var longestGap: Int64 { 60_000 }

    /// These, of which the last one is cut in two where the lane was resumed while it lasted: the pause, and what was left of the delay.
    ///
    /// - Parameter date: when an operator resumed the lane, in milliseconds since 1970.
    /// - Returns: the same where that was not so.
    package func resumed(at date: Int64) -> [LaneWait] {
        guard let last, last.reason == .paused, let until = last.until, last.from < date, date < until else {
            return self
        }
        var waits = self
        waits[waits.count - 1].until = date
        waits.append(LaneWait(.delayed, from: date, until: until))
        if waits.count > Self.limit { waits.remove(at: Self.firstOnes) }
        return waits
    }

    /// These, and one more behind them; it prolongs the last one if it has the same reason and began soon after.
    package func adding(_ wait: LaneWait) -> [LaneWait] {
        var waits = self
        if let last = waits.last, last.reason == wait.reason, let until = last.until,
            wait.from <= until + Self.longestGap
        {
            waits[waits.count - 1].until = wait.until
            waits[waits.count - 1].times += wait.times
            return waits
        }
        waits.append(wait)
        if waits.count > Self.limit { waits.remove(at: Self.firstOnes) }
        return waits
    }
}
