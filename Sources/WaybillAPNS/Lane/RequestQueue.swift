import Threads

/// What a lane has to send, in order: resends first, then the batches as they came.
///
/// A fresh batch waits as one entry with a cursor, so that a request costs nothing until its turn.
struct RequestQueue {
    private struct Cursor {
        let batch: BatchInHand
        var next = 0
    }

    private var resends = RingQueue<RequestJob>()
    private var batches = RingQueue<Cursor>()
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ batch: BatchInHand) {
        guard !batch.requests.isEmpty else { return }
        batches.append(Cursor(batch: batch))
        count += batch.requests.count
    }

    mutating func prepend(_ job: RequestJob) {
        resends.prepend(job)
        count += 1
    }

    mutating func popFirst() -> RequestJob? {
        if let job = resends.popFirst() {
            count -= 1
            return job
        }
        return popFresh()
    }

    /// The time the longest wait began.
    var oldestWait: MonotonicTime? {
        let fresh = batches.first?.batch.received
        guard !resends.isEmpty else { return fresh }
        // Resends are few, and their order is not that of time: each is pushed to the front.
        var oldest = fresh ?? .distantFuture
        resends.forEach { oldest = min(oldest, $0.waitingSince) }
        return oldest
    }

    /// Takes out every request whose wait, by the time it began, is over.
    mutating func removeAll(where isOver: (MonotonicTime) -> Bool) -> [RequestJob] {
        var removed: [RequestJob] = []
        for _ in 0..<resends.count {
            guard let job = resends.popFirst() else { break }
            if isOver(job.waitingSince) { removed.append(job) } else { resends.append(job) }
        }
        count -= removed.count
        while let cursor = batches.first, isOver(cursor.batch.received), let job = popFresh() { removed.append(job) }
        return removed
    }

    private mutating func popFresh() -> RequestJob? {
        guard !batches.isEmpty else { return nil }
        let (job, isLast) = batches.updateFirst { cursor in
            let job = RequestJob(batch: cursor.batch, position: cursor.next)
            cursor.next += 1
            return (job, cursor.next == cursor.batch.requests.count)
        }
        if isLast { _ = batches.popFirst() }
        count -= 1
        return job
    }
}
