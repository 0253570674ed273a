import WaybillThreads

/// Batches that wait in the order in which they came, each as one entry with a cursor, so that a request costs nothing
/// until its turn.
struct BatchQueue {
    private struct Cursor {
        let batch: PendingBatch
        var next = 0
    }

    private var cursors = RingQueue<Cursor>()

    var isEmpty: Bool { cursors.isEmpty }

    mutating func append(_ batch: PendingBatch) {
        cursors.append(Cursor(batch: batch))
    }

    /// The request whose turn is next.
    var first: RequestID? { cursors.first.map { RequestID(batch: $0.batch.number, position: $0.next) } }

    /// Since when the first one waits, which no other has waited longer than.
    var oldestWait: Wait? { cursors.first.map { Wait(arrival: $0.batch.received, start: $0.batch.received) } }

    /// Takes the next request.
    mutating func popFirst() -> RequestJob? {
        guard !cursors.isEmpty else { return nil }
        let (job, isLast) = cursors.updateFirst { cursor in
            let job = RequestJob(batch: cursor.batch, position: cursor.next)
            cursor.next += 1
            return (job, cursor.next == cursor.batch.count)
        }
        if isLast { _ = cursors.popFirst() }
        return job
    }

    /// Takes out every request whose wait is over.
    ///
    /// - Parameter isOver: true for a wait only if it is true for every earlier one.
    /// - Returns: the requests.
    mutating func removeAll(where isOver: (Wait) -> Bool) -> [RequestJob] {
        var removed: [RequestJob] = []
        while let wait = oldestWait, isOver(wait), let job = popFirst() { removed.append(job) }
        return removed
    }

    /// Takes out what is left of the batches of a kind, in one pass.
    mutating func removeBatches(where isWanted: (PendingBatch) -> Bool) -> [RequestJob] {
        var removed: [RequestJob] = []
        for _ in 0..<cursors.count {
            guard let cursor = cursors.popFirst() else { break }
            guard isWanted(cursor.batch) else {
                cursors.append(cursor)
                continue
            }
            removed += (cursor.next..<cursor.batch.count).map { RequestJob(batch: cursor.batch, position: $0) }
        }
        return removed
    }
}
