package import WaybillThreads

/// How many requests of one kind have passed within the last minute; pure.
package struct RequestRate: Sendable {
    /// The most that may pass in any minute.
    private let limit: Int
    private var passed: [MonotonicTime] = []

    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether one more may pass, which counts it.
    ///
    /// - Parameter time: now; never earlier than at the call before.
    /// - Returns: `false` when it is one too many.
    package mutating func lets(pass time: MonotonicTime) -> Bool {
        passed.removeAll { time.duration(since: $0) >= .seconds(60) }
        guard passed.count < limit else { return false }
        passed.append(time)
        return true
    }
}
