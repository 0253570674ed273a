/// Timeouts for `poll` and `epoll_wait`, which count whole milliseconds.
package enum PollTimeout {
    /// The time until a deadline, rounded up: a wait that ends too early would spin.
    package static func milliseconds(from now: MonotonicTime, until deadline: MonotonicTime) -> Int32 {
        guard deadline > now else { return 0 }
        let (milliseconds, rest) = (deadline.nanoseconds - now.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: milliseconds + (rest > 0 ? 1 : 0))
    }
}
