/// Growing, jittered pauses between attempts at one thing.
struct Backoff {
    private static let first = Duration.milliseconds(250)
    private static let longest = Duration.seconds(20)
    private var next = Backoff.first

    /// The pause before the next attempt: from half of the present length to all of it, so that workers that failed
    /// together do not come back together.
    mutating func takePause() -> Duration {
        let pause = next * Double.random(in: 0.5...1)
        next = min(next * 2, Self.longest)
        return pause
    }

    mutating func reset() { next = Self.first }
}
