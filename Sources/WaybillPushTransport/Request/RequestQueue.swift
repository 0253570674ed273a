import WaybillThreads

/// What a lane has to send, in order: resends first, then the batches as they came, and last those that yield to others.
///
/// While both wait, one request in ``share`` is of a batch that yields.
struct RequestQueue {
    private struct Pause {
        let job: RequestJob
        let end: MonotonicTime
    }

    private var resends = RingQueue<RequestJob>()
    private var batches = BatchQueue()
    /// Of owners that yield to the others.
    private var yielding = BatchQueue()
    /// Requests of the others since the last one that yields, while both waited.
    private var turn = 0
    /// Resends that wait for their time, in no order: few, but for all that was under way when connections broke.
    private var pauses: [Pause] = []
    /// The end of the first pause, so that a turn in which none ends does not look at them.
    private(set) var nextResumption: MonotonicTime?
    /// Requests whose turn may come now.
    private(set) var ready = 0

    /// While both kinds wait, each of so many requests is one that yields: it is never starved.
    static let share = 10

    /// Requests that wait for their time.
    var paused: Int { pauses.count }

    /// Requests in all, paused ones included.
    var count: Int { ready + paused }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ batch: PendingBatch) {
        guard batch.count > 0 else { return }
        if batch.yields { yielding.append(batch) } else { batches.append(batch) }
        ready += batch.count
    }

    mutating func prepend(_ job: RequestJob) {
        resends.prepend(job)
        ready += 1
    }

    /// Keeps a request back until a time.
    mutating func pause(_ job: RequestJob, until end: MonotonicTime) {
        pauses.append(Pause(job: job, end: end))
        nextResumption = min(nextResumption ?? end, end)
    }

    /// Lets the requests go whose pause is over.
    mutating func resume(at now: MonotonicTime) {
        guard let nextResumption, nextResumption <= now else { return }
        for pause in pauses where pause.end <= now { prepend(pause.job) }
        removePauses { $0.end <= now }
    }

    private mutating func removePauses(where isOver: (Pause) -> Bool) {
        pauses.removeAll(where: isOver)
        nextResumption = pauses.lazy.map(\.end).min()
    }

    /// Takes out the paused requests that wait for the time that an answer asks for.
    mutating func takeAnswered() -> [RequestJob] {
        let answered = pauses.map(\.job).filter { $0.trail?.answer != nil }
        if !answered.isEmpty { removePauses { $0.job.trail?.answer != nil } }
        return answered
    }

    /// Takes the next request.
    ///
    /// - Parameter isFreshFirst: fresh ones go before a repeat. A connection that has proved nothing yet may carry one request
    ///   alone, and one that nobody has answered elsewhere could keep it from all others.
    /// - Returns: the request; `nil` when none is ready.
    mutating func popFirst(isFreshFirst: Bool = false) -> RequestJob? {
        if isFreshFirst, isRepeatNext, let job = popFresh() { return job }
        if let job = resends.popFirst() {
            ready -= 1
            return job
        }
        return popFresh()
    }

    /// The request that ``popFirst(isFreshFirst:)`` would take where no fresh one goes first.
    var first: RequestID? {
        if let job = resends.first { return job.id }
        return isYieldingNext ? yielding.first : batches.first
    }

    /// Whether the next resend has been sent and not answered before.
    private var isRepeatNext: Bool { resends.first?.trail?.mayHaveBeenTaken == true }

    private var isYieldingNext: Bool { !yielding.isEmpty && (batches.isEmpty || turn == Self.share - 1) }

    /// The earliest arrival and the earliest start of a wait, which need not be one request's.
    var oldestWait: Wait? {
        var fresh = batches.oldestWait
        if let wait = yielding.oldestWait, fresh.map({ wait.arrival < $0.arrival }) ?? true { fresh = wait }
        guard !resends.isEmpty else { return fresh }
        // Resends are few, and their order is not that of time: each is pushed to the front.
        var arrival = fresh?.arrival ?? .distantFuture
        var start = fresh?.start ?? .distantFuture
        resends.forEach {
            let wait = $0.wait
            arrival = min(arrival, wait.arrival)
            start = min(start, wait.start)
        }
        return Wait(arrival: arrival, start: start)
    }

    /// Takes out every request whose wait is over.
    ///
    /// - Parameter isOver: true for a wait only if it is true for every earlier one.
    /// - Returns: the requests; paused ones stay until their pause is over.
    mutating func removeAll(where isOver: (Wait) -> Bool) -> [RequestJob] {
        let resent = takeResends { isOver($0.wait) }
        let fresh = batches.removeAll(where: isOver) + yielding.removeAll(where: isOver)
        ready -= fresh.count
        return resent + fresh
    }

    /// Takes out every request of the batches of owners of a kind, in one pass over the queue.
    mutating func removeAll(where isMeant: (any PushRequestOwner) -> Bool) -> [RequestJob] {
        func isWanted(_ batch: PendingBatch) -> Bool { isMeant(batch.owner) }
        var removed = takeResends { isWanted($0.batch) }
        removed += pauses.map(\.job).filter { isWanted($0.batch) }
        removePauses { isWanted($0.job.batch) }
        let fresh = batches.removeBatches(where: isWanted) + yielding.removeBatches(where: isWanted)
        ready -= fresh.count
        return removed + fresh
    }

    private mutating func takeResends(where isWanted: (RequestJob) -> Bool) -> [RequestJob] {
        var removed: [RequestJob] = []
        for _ in 0..<resends.count {
            guard let job = resends.popFirst() else { break }
            if isWanted(job) { removed.append(job) } else { resends.append(job) }
        }
        ready -= removed.count
        return removed
    }

    private mutating func popFresh() -> RequestJob? {
        let job: RequestJob?
        if isYieldingNext {
            job = yielding.popFirst()
            turn = 0
        } else {
            job = batches.popFirst()
            if !yielding.isEmpty { turn += 1 }
        }
        if job != nil { ready -= 1 }
        return job
    }
}
