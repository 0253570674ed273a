import Foundation

/// The JSON of a case: what `scripts/counts.sh` and `scripts/benchmark.sh` read.
struct MicroReport: Encodable {
    let name: String
    let isExact: Bool
    /// In one repetition.
    let notifications: Int
    let processorNanoseconds: Spread
    let elapsedNanoseconds: Spread
    let allocations: Spread
    let allocatedBytes: Spread

    enum CodingKeys: String, CodingKey {
        case name = "case"
        case isExact = "exact"
        case notifications
        case processorNanoseconds = "cpu_ns"
        case elapsedNanoseconds = "wall_ns"
        case allocations
        case allocatedBytes = "allocated_bytes"
    }

    init(_ measured: MicroCase, _ result: MicroResult) {
        name = measured.name
        isExact = measured.kind == .exact
        notifications = result.repetitions[0].notifications
        processorNanoseconds = result.spread(\.processor)
        elapsedNanoseconds = result.spread(\.elapsed)
        allocations = result.spread(\.allocations)
        allocatedBytes = result.spread(\.bytes)
    }

    static let heading = """
        per notification          CPU ns  (min to max)            wall ns  allocations     bytes
        """

    /// A line of the table for people.
    var line: String {
        let range = "(\(Self.number(processorNanoseconds.minimum)) to \(Self.number(processorNanoseconds.maximum)))"
        return name.padding(toLength: 22, withPad: " ", startingAt: 0)
            + Self.right(Self.number(processorNanoseconds.median), 10) + "  "
            + range.padding(toLength: 22, withPad: " ", startingAt: 0)
            + Self.right(Self.number(elapsedNanoseconds.median), 9)
            + Self.right(String(format: "%.2f", allocations.median), 13)
            + Self.right(String(format: "%.0f", allocatedBytes.median), 10)
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 100 ? "%.1f" : "%.0f", value)
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
