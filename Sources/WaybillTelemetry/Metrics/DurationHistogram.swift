/// How long something took, counted by upper bounds that never change.
///
/// A plain value: whoever measures owns one, or keeps it under the lock of a whole batch.
package struct DurationHistogram: Hashable, Sendable {
    /// Upper bounds in seconds, inclusive: from a push on the same continent to the longest wait for an answer.
    package static let bounds: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    private static let nanosecondBounds = bounds.map { UInt64($0 * 1_000_000_000) }

    /// By bound, not summed up; the last one holds what is above all bounds.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// In seconds.
    package private(set) var sum = 0.0

    package init() {}

    /// How many durations were counted.
    package var count: Int { counts.reduce(0, +) }

    /// Counts a duration.
    package mutating func record(nanoseconds: UInt64) {
        var index = 0
        while index < Self.nanosecondBounds.count, nanoseconds > Self.nanosecondBounds[index] { index += 1 }
        counts[index] += 1
        sum += Double(nanoseconds) / 1_000_000_000
    }

    /// Counts all that another one has counted.
    package mutating func add(_ other: Self) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}
