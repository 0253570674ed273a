import Glibc
import Threads

/// Growing, jittered pauses between attempts of one thing.
struct Backoff {
    private let first: Duration
    private let last: Duration
    private var next: Duration

    init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    /// The next pause: somewhere between half of it and all of it, so that instances do not come back in step.
    mutating func takePause() -> Duration {
        let pause = next * Double.random(in: 0.5...1)
        next = min(next * 2, last)
        return pause
    }

    mutating func reset() {
        next = first
    }

    /// Blocks the thread for the next pause, or until the condition holds.
    mutating func sleep(unless isOver: () -> Bool) {
        let end = MonotonicTime.now().advanced(by: takePause())
        while MonotonicTime.now() < end, !isOver() {
            var slice = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            nanosleep(&slice, nil)
        }
    }
}
