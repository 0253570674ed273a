/// The classes of latency that are counted: two for each doubling where most answers are, one above.
///
/// All bounds are whole milliseconds, so that the server and this code never disagree about where a number belongs.
package enum LatencyBuckets {
    /// Where each class ends, in milliseconds, excluded; the last one has no end.
    package static let bounds: [Double] = [
        1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384,
    ]
    package static let count = 24

    private static let last = 16384.0
    /// Up to here each power of two begins a class, and so does each half of the way to the next one.
    private static let lastHalf = 512.0

    /// The class of a latency in milliseconds.
    ///
    /// Every notification asks: so it is read from the number's exponent and the first bit behind it, without a search.
    static func index(of latency: Double) -> Int {
        guard latency < last else { return count - 1 }
        guard latency >= 2 else { return latency < 1 ? 0 : 1 }
        let power = Int(latency.exponent)
        guard latency < lastHalf else { return power + 9 }
        return 2 * power + Int(truncatingIfNeeded: latency.significandBitPattern >> 51)
    }

    /// The latency below which a part of the counted ones lies, as if those of one class were spread evenly over it.
    ///
    /// - Parameters:
    ///   - part: from 0 to 1, such as 0.95.
    ///   - counts: by class.
    /// - Returns: `nil` where nothing was counted.
    package static func percentile(_ part: Double, of counts: [Int]) -> Percentile? {
        let total = counts.reduce(0, +)
        guard total > 0 else { return nil }
        let wanted = part * Double(total)
        var below = 0
        for (index, count) in counts.enumerated() where count > 0 {
            if Double(below + count) >= wanted {
                let low = index == 0 ? 0 : bounds[index - 1]
                guard index < bounds.count else { break }
                let share = max(0, wanted - Double(below)) / Double(count)
                return Percentile(milliseconds: low + (bounds[index] - low) * share)
            }
            below += count
        }
        return Percentile(milliseconds: bounds[bounds.count - 1], isLowerBound: true)
    }

    /// A latency below which a part of the counted ones lies.
    package struct Percentile: Hashable, Sendable {
        /// Milliseconds, interpolated; where it is a lower bound, the beginning of the last class.
        package var milliseconds: Double
        /// Whether nothing more is known than that it is at least so much: it lies in the last class, which has no end.
        package var isLowerBound = false
    }
}
