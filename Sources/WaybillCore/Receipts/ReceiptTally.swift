/// How many notifications of a group devices have said something of.
///
/// A lower bound each: what came and said nothing is not in it.
package struct ReceiptTally: Hashable, Sendable {
    /// Notifications of which there is any receipt: each of them has come to its device.
    package var arrived = 0
    /// Notifications of which this was said.
    private var counts = [Int](repeating: 0, count: ReceiptEvent.allCases.count)

    package init() {}

    package subscript(_ event: ReceiptEvent) -> Int {
        get { counts[Int(event.rawValue) - 1] }
        set { counts[Int(event.rawValue) - 1] = newValue }
    }

    /// Adds what was said of one notification.
    package mutating func add(_ events: Set<ReceiptEvent>) {
        guard !events.isEmpty else { return }
        arrived += 1
        for event in events { self[event] += 1 }
    }

    /// Adds what is known of other notifications.
    package mutating func add(_ other: ReceiptTally) {
        arrived += other.arrived
        for event in ReceiptEvent.allCases { self[event] += other[event] }
    }
}
