import WaybillThreads

/// What counts were at moments of the last seconds, so that what they have grown by can be told.
struct SampleWindow<Counts> {
    /// How far apart samples are at the least.
    private static var interval: Duration { .seconds(1) }

    private let period: Duration
    private var samples: [(time: MonotonicTime, counts: Counts)] = []

    /// - Parameter period: how far it looks back.
    init(_ period: Duration) { self.period = period }

    /// Takes the counts of this moment.
    ///
    /// - Returns: those with which the period began; these themselves the first time.
    mutating func begin(before counts: Counts, now: MonotonicTime) -> Counts {
        if samples.last.map({ $0.time.advanced(by: Self.interval) <= now }) ?? true { samples.append((now, counts)) }
        // The last one that is old enough is where the period begins.
        samples.removeFirst(samples.lastIndex { $0.time.advanced(by: period) <= now } ?? 0)
        return samples[0].counts
    }
}
