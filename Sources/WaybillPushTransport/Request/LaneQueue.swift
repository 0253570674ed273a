import WaybillThreads

/// What a lane has to send: what is urgent first, then the rest, each in its own order.
struct LaneQueue {
    private var urgent = RequestQueue()
    private var others = RequestQueue()
    /// Whether only what is urgent may go: the others wait for the lane's pace, and are not shown.
    var isLimitedToUrgent = false

    /// Requests in all, paused ones included.
    var count: Int { urgent.count + others.count }

    /// Requests that wait for their time.
    var paused: Int { urgent.paused + others.paused }

    var isEmpty: Bool { urgent.isEmpty && others.isEmpty }

    /// Requests whose turn may come now.
    var ready: Int { isLimitedToUrgent ? urgent.ready : urgent.ready + others.ready }

    /// Urgent ones of them.
    var readyUrgent: Int { urgent.ready }

    /// The end of the first pause.
    var nextResumption: MonotonicTime? {
        guard let first = urgent.nextResumption else { return others.nextResumption }
        return others.nextResumption.map { min($0, first) } ?? first
    }

    mutating func append(_ batch: PendingBatch) {
        if batch.isUrgent { urgent.append(batch) } else { others.append(batch) }
    }

    mutating func prepend(_ job: RequestJob) {
        if job.batch.isUrgent { urgent.prepend(job) } else { others.prepend(job) }
    }

    /// Keeps a request back until a time.
    mutating func pause(_ job: RequestJob, until end: MonotonicTime) {
        if job.batch.isUrgent { urgent.pause(job, until: end) } else { others.pause(job, until: end) }
    }

    /// Lets the requests go whose pause is over.
    mutating func resume(at now: MonotonicTime) {
        urgent.resume(at: now)
        others.resume(at: now)
    }

    /// Takes out the paused requests that wait for the time that an answer asks for.
    mutating func takeAnswered() -> [RequestJob] { urgent.takeAnswered() + others.takeAnswered() }

    /// Takes the next request; see ``RequestQueue/popFirst(isFreshFirst:)``.
    mutating func popFirst(isFreshFirst: Bool = false) -> RequestJob? {
        if urgent.ready > 0 { return urgent.popFirst(isFreshFirst: isFreshFirst) }
        return isLimitedToUrgent ? nil : others.popFirst(isFreshFirst: isFreshFirst)
    }

    /// The request that ``popFirst(isFreshFirst:)`` would take where no fresh one goes first.
    var first: RequestID? {
        if urgent.ready > 0 { return urgent.first }
        return isLimitedToUrgent ? nil : others.first
    }

    /// The earliest arrival and the earliest start of a wait, which need not be one request's.
    var oldestWait: Wait? {
        guard let first = urgent.oldestWait else { return others.oldestWait }
        guard let second = others.oldestWait else { return first }
        return Wait(arrival: min(first.arrival, second.arrival), start: min(first.start, second.start))
    }

    /// Takes out every request whose wait is over; see ``RequestQueue/removeAll(where:)``.
    mutating func removeAll(where isOver: (Wait) -> Bool) -> [RequestJob] {
        urgent.removeAll(where: isOver) + others.removeAll(where: isOver)
    }

    /// Takes out every request of the batches of owners of a kind.
    mutating func removeAll(where isMeant: (any PushRequestOwner) -> Bool) -> [RequestJob] {
        urgent.removeAll(where: isMeant) + others.removeAll(where: isMeant)
    }
}
