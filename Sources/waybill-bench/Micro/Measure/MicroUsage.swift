import CWaybillAllocations
import Glibc

/// What a thread has used up since it began.
struct MicroUsage: Sendable {
    /// Wall-clock time, in nanoseconds.
    var elapsed: UInt64 = 0
    /// Processor time, in nanoseconds.
    var processor: UInt64 = 0
    /// Calls of the allocator.
    var allocations: UInt64 = 0
    /// Bytes asked of it; what was freed is not taken off.
    var bytes: UInt64 = 0

    static func ofThisThread() -> MicroUsage {
        let count = allocation_count_of_this_thread()
        return MicroUsage(
            elapsed: nanoseconds(CLOCK_MONOTONIC),
            processor: nanoseconds(CLOCK_THREAD_CPUTIME_ID),
            allocations: count.calls,
            bytes: count.bytes
        )
    }

    static func - (later: Self, earlier: Self) -> Self {
        Self(
            elapsed: later.elapsed - earlier.elapsed,
            processor: later.processor - earlier.processor,
            allocations: later.allocations - earlier.allocations,
            bytes: later.bytes - earlier.bytes
        )
    }

    static func + (one: Self, other: Self) -> Self {
        Self(
            elapsed: one.elapsed + other.elapsed,
            processor: one.processor + other.processor,
            allocations: one.allocations + other.allocations,
            bytes: one.bytes + other.bytes
        )
    }

    /// The time of a clock, in nanoseconds.
    static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
