import WaybillThreads

/// What a lane has to send, in order: resends first, then the batches as they came.
///
/// A fresh batch waits as one entry with a cursor, so that a request costs nothing until its turn.
struct RequestQueue {
    private struct Cursor {
        let batch: PendingBatch
        var next = 0

        var wait: Wait { Wait(arrival: batch.received, start: batch.received) }
    }

    private struct Pause {
        let job: RequestJob
        let end: MonotonicTime
    }

    private var resends = RingQueue<RequestJob>()
    private var batches = RingQueue<Cursor>()
    /// Resends that wait for their time, in no order: few, but for all that was under way when connections broke.
    private var pauses: [Pause] = []
    /// The end of the first pause, so that a turn in which none ends does not look at them.
    private(set) var nextResumption: MonotonicTime?
    /// Requests whose turn may come now.
    private(set) var ready = 0

    /// Requests in all, paused ones included.
    var count: Int { ready + pauses.count }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ batch: PendingBatch) {
        guard batch.count > 0 else { return }
        batches.append(Cursor(batch: batch))
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

    /// The request that ``popFirst(isFreshFirst:)`` would take.
    func first(isFreshFirst: Bool = false) -> RequestID? {
        if let job = resends.first, !(isFreshFirst && isRepeatNext && !batches.isEmpty) { return job.id }
        return batches.first.map { RequestID(batch: $0.batch.number, position: $0.next) }
    }

    /// Whether the next resend has been sent and not answered before.
    private var isRepeatNext: Bool { resends.first?.trail?.mayHaveBeenTaken == true }

    /// The earliest arrival and the earliest start of a wait, which need not be one request's.
    var oldestWait: Wait? {
        let fresh = batches.first?.wait
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
        var removed = takeResends { isOver($0.wait) }
        while let cursor = batches.first, isOver(cursor.wait), let job = popFresh() { removed.append(job) }
        return removed
    }

    /// Takes out every request of some owners' batches, in one pass over the queue; `nil` stands for every owner.
    mutating func removeAll(of owners: [any PushRequestOwner]?) -> [RequestJob] {
        let wanted = owners.map { Set($0.map(ObjectIdentifier.init)) }
        return removeAll { wanted?.contains(ObjectIdentifier($0)) ?? true }
    }

    /// Takes out every request of the batches of owners of a kind, in one pass over the queue.
    mutating func removeAll(where isMeant: (any PushRequestOwner) -> Bool) -> [RequestJob] {
        func isWanted(_ batch: PendingBatch) -> Bool { isMeant(batch.owner) }
        var removed = takeResends { isWanted($0.batch) }
        removed += pauses.map(\.job).filter { isWanted($0.batch) }
        removePauses { isWanted($0.job.batch) }
        for _ in 0..<batches.count {
            guard let cursor = batches.popFirst() else { break }
            guard isWanted(cursor.batch) else {
                batches.append(cursor)
                continue
            }
            for position in cursor.next..<cursor.batch.count {
                removed.append(RequestJob(batch: cursor.batch, position: position))
                ready -= 1
            }
        }
        return removed
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
        guard !batches.isEmpty else { return nil }
        let (job, isLast) = batches.updateFirst { cursor in
            let job = RequestJob(batch: cursor.batch, position: cursor.next)
            cursor.next += 1
            return (job, cursor.next == cursor.batch.count)
        }
        if isLast { _ = batches.popFirst() }
        ready -= 1
        return job
    }
}
