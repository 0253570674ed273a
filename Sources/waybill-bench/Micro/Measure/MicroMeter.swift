import Glibc

/// Measures a prepared loop.
struct MicroMeter {
    /// For each repetition at least.
    let seconds: Double
    let repetitions: Int

    /// Runs the loop as long as asked for, several times.
    func measure(_ loop: MicroLoop) throws -> MicroResult {
        try loop.run(loop.warmUp)
        let rounds = try roundsPerRepetition(loop)
        var result = MicroResult()
        for _ in 0..<repetitions { result.add(try once(loop, rounds: rounds)) }
        return result
    }

    /// Runs the loop exactly as often as asked for, once: two such runs differ by the loop alone.
    static func count(_ loop: MicroLoop, rounds: Int) throws -> MicroResult {
        try loop.run(loop.warmUp)
        var result = MicroResult()
        result.add(try MicroMeter(seconds: 0, repetitions: 1).once(loop, rounds: rounds))
        return result
    }

    /// Doubles the rounds until they take a measurable time, then takes as many as fit.
    private func roundsPerRepetition(_ loop: MicroLoop) throws -> Int {
        let enough = min(seconds / 4, 0.05) * 1e9
        var rounds = 1
        while true {
            let start = MicroUsage.nanoseconds(CLOCK_MONOTONIC)
            try loop.run(rounds)
            let time = Double(MicroUsage.nanoseconds(CLOCK_MONOTONIC) - start)
            if time >= enough { return max(1, Int(Double(rounds) * seconds * 1e9 / time)) }
            rounds *= 2
        }
    }

    private func once(_ loop: MicroLoop, rounds: Int) throws -> MicroResult.Repetition {
        let before = loop.usage()
        try loop.run(rounds)
        let used = loop.usage() - before
        let notifications = Double(rounds * loop.notifications)
        return MicroResult.Repetition(
            notifications: rounds * loop.notifications,
            processor: Double(used.processor) / notifications,
            elapsed: Double(used.elapsed) / notifications,
            allocations: Double(used.allocations) / notifications,
            bytes: Double(used.bytes) / notifications
        )
    }
}
