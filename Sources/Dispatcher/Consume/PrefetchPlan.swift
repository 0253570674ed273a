/// Chooses how many messages the broker may hand out ahead.
///
/// AMQP counts messages; what must be bounded is notifications and bytes. So the plan watches the sizes that arrive and
/// asks for a new subscription when its count is far off. It starts with one message at a time: if the first ones are
/// redeliveries, the last run may have ended in a crash, and a poison message must not drag its neighbours to the
/// delivery limit.
struct PrefetchPlan {
    /// The most that quorum queues accept.
    static let maximum = 2000
    /// Redelivered messages to pass alone before neighbours are allowed.
    static let probation = 20
    private static let sample = 32

    private let itemTarget: Int
    private let byteTarget: Int
    /// The count to subscribe with.
    private(set) var count = 1
    private(set) var isOnProbation = true
    private var passedAlone = 0
    private var averageItems = 0.0
    private var averageBytes = 0.0
    private var seen = 0

    /// - Parameters:
    ///   - itemTarget: notifications to hold, taken and waiting together.
    ///   - byteTarget: bytes of bodies to hold.
    init(itemTarget: Int, byteTarget: Int) {
        self.itemTarget = itemTarget
        self.byteTarget = byteTarget
    }

    /// Takes note of a delivery.
    ///
    /// - Returns: whether to subscribe anew with the changed ``count``.
    mutating func delivered(items: Int, bytes: Int, isRedelivered: Bool) -> Bool {
        seen += 1
        let weight = seen <= Self.sample ? 1 / Double(seen) : 1 / Double(Self.sample)
        averageItems += (Double(max(1, items)) - averageItems) * weight
        averageBytes += (Double(max(1, bytes)) - averageBytes) * weight
        if isOnProbation {
            passedAlone += 1
            guard !isRedelivered || passedAlone >= Self.probation else { return false }
            isOnProbation = false
            count = min(32, desired)
            return count > 1
        }
        guard seen.isMultiple(of: Self.sample) else { return false }
        let desired = desired
        guard desired >= 2 * count || desired * 4 <= count else { return false }
        count = desired
        return true
    }

    private var desired: Int {
        let byItems = Double(itemTarget) / averageItems
        let byBytes = Double(byteTarget) / averageBytes
        return Int(min(Double(Self.maximum), max(2, min(byItems, byBytes))))
    }
}
