import Histogram
import WaybillSimulator
import WaybillThreads

/// How long notifications took from their publication to the sink, and how many came.
///
/// Safe on any thread; in practice the simulator's thread writes and the main thread reads at the end.
final class SinkMeter: Sendable {
    struct Reading {
        var requests = 0
        var dead = 0
        /// When the first request came, on the monotonic clock; 0 before.
        var firstNanoseconds: UInt64 = 0
        /// Requests in each tenth of a second since the first one.
        var tenths: [Int] = []
        /// One for each notification that was timed, where they are kept.
        var arrivals: [Arrival] = []
        /// Nanoseconds, to three digits, up to an hour.
        var latency = Histogram<UInt64>(
            lowestDiscernibleValue: 1000,
            highestTrackableValue: 3_600_000_000_000,
            numberOfSignificantValueDigits: .three
        )

        /// Requests a second late in the run: after 60 % of its time, when every connection has come, and before the last 5 %.
        var lateRate: Double {
            let late = tenths[(tenths.count * 6 / 10)..<(tenths.count * 95 / 100)]
            return late.isEmpty ? 0 : Double(late.reduce(0, +)) / Double(late.count) * 10
        }

        mutating func note(tenth: Int) {
            while tenths.count <= tenth { tenths.append(0) }
            tenths[tenth] += 1
        }
    }

    /// A notification that was timed, both on the monotonic clock.
    struct Arrival: Sendable {
        /// When it was due, as its text says.
        let due: UInt64
        let arrived: UInt64
    }

    /// Nanoseconds of one element of ``Reading/tenths``.
    private static let tenth: UInt64 = 100_000_000

    private let values = Guarded(Reading())
    private let skip: Int
    private let keepsArrivals: Bool
    private let deadPath: [UInt8]?

    /// A meter for one run.
    ///
    /// The first requests, as many as `skip` says, are counted but not timed: the client is still opening connections. Tokens
    /// with the prefix are dead; without one none is.
    init(skip: Int, deadPrefix: String?, keepsArrivals: Bool) {
        self.skip = skip
        self.keepsArrivals = keepsArrivals
        deadPath = deadPrefix.map { Array("/3/device/\($0)".utf8) }
    }

    var reading: Reading { values.withLock { $0 } }

    /// Takes a request down and says how to answer it.
    func answer(path: ArraySlice<UInt8>, payload: [UInt8]) -> SimulatorAnswer {
        let now = MonotonicTime.now().nanoseconds
        let sent = StampedText.time(in: payload)
        let isDead = deadPath.map { path.starts(with: $0) } ?? false
        values.withLock { values in
            if values.requests == 0 { values.firstNanoseconds = now }
            values.requests += 1
            values.note(tenth: Int((now - values.firstNanoseconds) / Self.tenth))
            if isDead { values.dead += 1 }
            guard values.requests > skip, let sent, now >= sent else { return }
            values.latency.record(now - sent)
            if keepsArrivals { values.arrivals.append(Arrival(due: sent, arrived: now)) }
        }
        return isDead ? .documented(.unregistered) : .accepted
    }
}
