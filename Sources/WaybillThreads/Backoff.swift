import Glibc

/// Growing, jittered pauses between attempts at one thing.
package struct Backoff: Sendable {
    private let first: Duration
    private let last: Duration
    private var next: Duration

    /// Creates pauses that begin with `first` and double up to `last`.
    package init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    /// The next pause: somewhere between half of it and all of it, so that instances do not come back in step.
    package mutating func takePause() -> Duration {
        let pause = next * Double.random(in: 0.5...1)
        next = min(next * 2, last)
        return pause
    }

    /// The attempt has succeeded: the next failure begins with the first pause again.
    package mutating func reset() {
        next = first
    }
}

extension NamedThread {
    /// Blocks the calling thread for a pause, or until the condition holds; it is asked every 20 milliseconds.
    package static func sleep(for pause: Duration, unless isOver: () -> Bool) {
        let end = MonotonicTime.now().advanced(by: pause)
        while case let now = MonotonicTime.now(), now < end, !isOver() {
            let slice = min(end.duration(since: now), .milliseconds(20))
            usleep(UInt32(slice / .microseconds(1)))
        }
    }
}
