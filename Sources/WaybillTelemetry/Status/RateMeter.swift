import WaybillThreads

/// How fast totals have grown over the last minutes, from samples of them.
struct RateMeter {
    /// How often a sample is worth taking.
    static let interval = Duration.seconds(5)
    /// The longest time that is looked back.
    static let longest = Duration.seconds(15 * 60)

    private struct Sample {
        let time: MonotonicTime
        let totals: [String: Int]
    }

    private var samples: [Sample] = []

    /// Takes a sample, unless the last one is young.
    mutating func take(_ totals: [String: Int], now: MonotonicTime) {
        if let last = samples.last, now < last.time.advanced(by: Self.interval) { return }
        samples.append(Sample(time: now, totals: totals))
        // The one that lies before the longest time is where that begins.
        let first = samples.lastIndex { $0.time.advanced(by: Self.longest) <= now } ?? 0
        samples.removeFirst(first)
    }

    /// How much each total has grown in a second, since a while ago or since the first sample, if that is later.
    ///
    /// - Returns: nothing before there are two samples.
    func rates(over period: Duration) -> [String: Double] {
        guard let last = samples.last,
            let first = samples.last(where: { $0.time.advanced(by: period) <= last.time }) ?? samples.first,
            first.time < last.time
        else { return [:] }
        let seconds = last.time.duration(since: first.time) / .seconds(1)
        return last.totals.reduce(into: [:]) { rates, total in
            rates[total.key] = Double(max(0, total.value - first.totals[total.key, default: 0])) / seconds
        }
    }
}
