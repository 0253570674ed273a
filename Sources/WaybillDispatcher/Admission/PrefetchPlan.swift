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

    private let queues: Int
    private let hasRetryQueue: Bool
    private let hasBulkQueue: Bool
    private var main: PrefetchMeasure
    /// Small and large messages would otherwise be held by the same count.
    private var bulk: PrefetchMeasure
    /// The queue that is read alone; `queues` when all have passed.
    private var probed = 0
    private var passedAlone = 0

    /// - Parameters:
    ///   - itemTarget: notifications to hold, taken and waiting together.
    ///   - byteTarget: bytes of bodies to hold.
    ///   - queues: how many queues there are.
    ///   - hasRetryQueue: whether the last of them is one beside the others, which are divided as if it were not there: mostly
    ///     it is empty, and what it has comes on top.
    ///   - hasBulkQueue: whether the one before that has a count of its own, made for half of both targets.
    init(
        itemTarget: Int,
        byteTarget: Int,
        queues: Int = 1,
        hasRetryQueue: Bool = false,
        hasBulkQueue: Bool = false
    ) {
        self.queues = queues
        self.hasRetryQueue = hasRetryQueue
        self.hasBulkQueue = hasBulkQueue
        let others = (hasRetryQueue ? 1 : 0) + (hasBulkQueue ? 1 : 0)
        main = PrefetchMeasure(
            itemTarget: itemTarget,
            byteTarget: byteTarget,
            most: Self.maximum * max(1, queues - others)
        )
        bulk = PrefetchMeasure(itemTarget: itemTarget / 2, byteTarget: byteTarget / 2, most: Self.maximum)
    }

    /// The messages to hold, of all queues but the bulk queue.
    var count: Int { main.count }

    var isOnProbation: Bool { probed < queues }

    /// The queues to subscribe to, by their position.
    var reading: Range<Int> { isOnProbation ? probed..<probed + 1 : 0..<queues }

    /// The queues that the count is divided among.
    private var mainQueues: Int { max(1, queues - (hasRetryQueue ? 1 : 0) - (hasBulkQueue ? 1 : 0)) }

    private var bulkQueue: Int? { hasBulkQueue ? queues - (hasRetryQueue ? 2 : 1) : nil }

    /// The count to subscribe to each of them with, but for the bulk queue and the retry queue.
    var share: Int { isOnProbation ? 1 : min(Self.maximum, max(1, count / mainQueues)) }

    /// The count to subscribe to a queue with: the retry queue has half as much, and the bulk queue one of its own.
    ///
    /// - Parameter queue: its position.
    /// - Returns: at least 1.
    func share(of queue: Int) -> Int {
        if queue == bulkQueue { return isOnProbation ? 1 : bulk.count }
        return hasRetryQueue && queue == queues - 1 ? max(1, share / 2) : share
    }

    /// How many messages the broker hands out at the moment.
    ///
    /// - Parameter isBulk: of the bulk queue, or of all others together.
    /// - Returns: zero if none of them is read.
    func handedOut(isBulk: Bool) -> Int {
        reading.reduce(0) { isBulk == ($1 == bulkQueue) ? $0 + share(of: $1) : $0 }
    }

    /// Takes note of a delivery.
    ///
    /// - Parameters:
    ///   - items: its notifications.
    ///   - bytes: of its body.
    ///   - isRedelivered: it was handed out before.
    ///   - isBulk: it came from the bulk queue.
    /// - Returns: whether to subscribe anew, with the changed ``reading`` and ``share``.
    mutating func delivered(items: Int, bytes: Int, isRedelivered: Bool, isBulk: Bool = false) -> Bool {
        if isBulk { bulk.note(items: items, bytes: bytes) } else { main.note(items: items, bytes: bytes) }
        if isOnProbation {
            passedAlone += 1
            guard !isRedelivered || passedAlone >= Self.probation else { return false }
            next()
            return true
        }
        return isBulk ? bulk.adapt(isRedelivered: isRedelivered) : main.adapt(isRedelivered: isRedelivered)
    }

    /// Takes note that what was handed out is more than may be held; the next subscription is made for such sizes.
    ///
    /// - Parameters:
    ///   - messages: handed out and not started.
    ///   - bytes: of their bodies, all together.
    ///   - isBulk: they came from the bulk queue.
    /// - Returns: whether that one will hand out fewer; not when each queue hands out one message only.
    mutating func overflowed(messages: Int, bytes: Int, isBulk: Bool = false) -> Bool {
        let before = handedOut(isBulk: isBulk)
        if isBulk {
            bulk.overflowed(messages: messages, bytes: bytes)
        } else {
            main.overflowed(messages: messages, bytes: bytes)
        }
        return handedOut(isBulk: isBulk) < before
    }

    /// Nothing waits in the queue that is read alone, so nobody has to pass there.
    mutating func foundEmpty() {
        next()
    }

    private mutating func next() {
        probed += 1
        passedAlone = 0
        if !isOnProbation {
            main.begin()
            bulk.begin()
        }
    }
}
