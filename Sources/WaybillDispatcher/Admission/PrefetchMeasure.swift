/// How many messages of a kind of queue to have handed out, by the sizes that arrive.
struct PrefetchMeasure {
    private static let sample = 32

    private let itemTarget: Int
    private let byteTarget: Int
    private let most: Int
    /// The messages to hold, of all its queues together.
    private(set) var count = 1
    private(set) var seen = 0
    private var hasMeasured = false
    private var averageItems = 0.0
    private var averageBytes = 0.0

    /// - Parameters:
    ///   - itemTarget: notifications to hold, taken and waiting together.
    ///   - byteTarget: bytes of bodies to hold.
    ///   - most: messages that its queues hand out together at the most.
    init(itemTarget: Int, byteTarget: Int, most: Int) {
        self.itemTarget = itemTarget
        self.byteTarget = byteTarget
        self.most = most
    }

    mutating func note(items: Int, bytes: Int) {
        seen += 1
        let weight = seen <= Self.sample ? 1 / Double(seen) : 1 / Double(Self.sample)
        averageItems += (Double(max(1, items)) - averageItems) * weight
        averageBytes += (Double(max(1, bytes)) - averageBytes) * weight
    }

    /// Sets the count by what has come; nothing while nothing has.
    mutating func begin() {
        guard seen > 0 else { return }
        hasMeasured = true
        count = min(32, desired)
    }

    /// Takes the last message into account.
    ///
    /// - Parameter isRedelivered: it was handed out before.
    /// - Returns: whether the count has changed.
    mutating func adapt(isRedelivered: Bool) -> Bool {
        guard hasMeasured else {
            // Every queue was empty at the start, and this is the first message.
            guard !isRedelivered || seen.isMultiple(of: Self.sample) else { return false }
            begin()
            return true
        }
        guard seen.isMultiple(of: Self.sample) else { return false }
        let desired = desired
        guard desired >= 2 * count || desired * 4 <= count else { return false }
        count = desired
        return true
    }

    /// What was handed out is more than may be held: makes the count one for such sizes.
    mutating func overflowed(messages: Int, bytes: Int) {
        averageBytes = max(averageBytes, Double(bytes) / Double(max(1, messages)))
        if averageItems < 1 { averageItems = 1 }
        count = min(count, desired)
    }

    private var desired: Int {
        let byItems = Double(itemTarget) / averageItems
        let byBytes = Double(byteTarget) / averageBytes
        return Int(min(Double(most), max(2, min(byItems, byBytes))))
    }
}
