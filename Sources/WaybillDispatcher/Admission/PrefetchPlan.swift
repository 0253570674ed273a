/// Chooses which queues to read, and how many messages the broker may hand out ahead.
///
/// AMQP counts messages; what must be bounded is notifications and bytes. So the plan watches the sizes that arrive and
/// asks for a new subscription when its count is far off. It starts with one message at a time, from one queue after the
/// other: if the first ones are redeliveries, the last run may have ended in a crash, and a poison message must not drag
/// its neighbours to the delivery limit, neither those behind it nor those at the head of another queue.
struct PrefetchPlan {
    /// The most that quorum queues accept.
    static let maximum = 2000
    /// Redelivered messages to pass alone before neighbours are allowed.
    static let probation = 20
    private static let sample = 32

    private let itemTarget: Int
    private let byteTarget: Int
    private let queues: Int
    private let hasRetryQueue: Bool
    /// The messages to hold, of all queues together.
    private(set) var count = 1
    private var hasMeasured = false
    /// The queue that is read alone; `queues` when all have passed.
    private var probed = 0
    private var passedAlone = 0
    private var averageItems = 0.0
    private var averageBytes = 0.0
    private var seen = 0

    /// - Parameters:
    ///   - itemTarget: notifications to hold, taken and waiting together.
    ///   - byteTarget: bytes of bodies to hold.
    ///   - queues: how many queues there are.
    ///   - hasRetryQueue: whether the last of them is one beside the others, which are divided as if it were not there: mostly
    ///     it is empty, and what it has comes on top.
    init(itemTarget: Int, byteTarget: Int, queues: Int = 1, hasRetryQueue: Bool = false) {
        self.itemTarget = itemTarget
        self.byteTarget = byteTarget
        self.queues = queues
        self.hasRetryQueue = hasRetryQueue
    }

    var isOnProbation: Bool { probed < queues }

    /// The queues to subscribe to, by their position.
    var reading: Range<Int> { isOnProbation ? probed..<probed + 1 : 0..<queues }

    /// The queues that the count is divided among.
    private var mainQueues: Int { hasRetryQueue ? max(1, queues - 1) : queues }

    /// The count to subscribe to each of them with, but for the retry queue.
    var share: Int { isOnProbation ? 1 : min(Self.maximum, max(1, count / mainQueues)) }

    /// The count to subscribe to a queue with: the retry queue has half as much.
    ///
    /// - Parameter queue: its position.
    /// - Returns: at least 1.
    func share(of queue: Int) -> Int {
        hasRetryQueue && queue == queues - 1 ? max(1, share / 2) : share
    }

    /// How many messages the broker hands out at the moment, of all queues together.
    var handedOut: Int { reading.reduce(0) { $0 + share(of: $1) } }

    /// Takes note of a delivery.
    ///
    /// - Returns: whether to subscribe anew, with the changed ``reading`` and ``share``.
    mutating func delivered(items: Int, bytes: Int, isRedelivered: Bool) -> Bool {
        seen += 1
        let weight = seen <= Self.sample ? 1 / Double(seen) : 1 / Double(Self.sample)
        averageItems += (Double(max(1, items)) - averageItems) * weight
        averageBytes += (Double(max(1, bytes)) - averageBytes) * weight
        if isOnProbation {
            passedAlone += 1
            guard !isRedelivered || passedAlone >= Self.probation else { return false }
            next()
            if !isOnProbation { beginMeasuring() }
            return true
        }
        guard hasMeasured else {
            // Every queue was empty at the start, and this is the first message.
            guard !isRedelivered || seen.isMultiple(of: Self.sample) else { return false }
            beginMeasuring()
            return true
        }
        guard seen.isMultiple(of: Self.sample) else { return false }
        let desired = desired
        guard desired >= 2 * count || desired * 4 <= count else { return false }
        count = desired
        return true
    }

    /// Takes note that what was handed out is more than may be held; the next subscription is made for such sizes.
    ///
    /// - Parameters:
    ///   - messages: handed out and not started.
    ///   - bytes: of their bodies, all together.
    /// - Returns: whether that one will hand out fewer; not when each queue hands out one message only.
    mutating func overflowed(messages: Int, bytes: Int) -> Bool {
        averageBytes = max(averageBytes, Double(bytes) / Double(max(1, messages)))
        if averageItems < 1 { averageItems = 1 }
        let before = share
        count = min(count, desired)
        return share < before
    }

    /// Nothing waits in the queue that is read alone, so nobody has to pass there.
    mutating func foundEmpty() {
        next()
        if !isOnProbation, seen > 0 { beginMeasuring() }
    }

    private mutating func next() {
        probed += 1
        passedAlone = 0
    }

    private mutating func beginMeasuring() {
        hasMeasured = true
        count = min(32, desired)
    }

    private var desired: Int {
        let byItems = Double(itemTarget) / averageItems
        let byBytes = Double(byteTarget) / averageBytes
        return Int(min(Double(Self.maximum * mainQueues), max(2, min(byItems, byBytes))))
    }
}
