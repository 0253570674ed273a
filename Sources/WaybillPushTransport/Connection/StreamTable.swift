import WaybillThreads

/// The open requests of one connection: slots that are used again, an index by stream id, and a list by age.
///
/// The time limit is the same for all, so the list is in the order of the deadlines: no heap, nothing allocated for a
/// request once the table has grown to the stream limit.
struct StreamTable {
    struct Slot {
        var job: RequestJob
        let stream: Int32
        let submittedAt: MonotonicTime
        /// The token that the request carried; 0 without one.
        let tokenSerial: Int
        /// Where the request ends among all the bytes of the connection; 0 until the session has written its last frame.
        var end: UInt64 = 0
        /// 0 until the final response's headers came.
        var status = 0
        /// The response is complete, while our side of the stream is still open.
        fileprivate(set) var hasEnded = false
        /// The answer's body, as far as it is kept.
        var body: [UInt8] = []
        /// Headers of the answer that few answers have.
        var headers: AnswerHeaders?

        /// The session has written all of the request: it will leave, if the connection stands.
        var wasSent: Bool { end != 0 }

        fileprivate var older: Int32 = -1
        fileprivate var newer: Int32 = -1
    }

    private var slots: [Slot?] = []
    private var free: [Int32] = []
    private var index = StreamIndex()
    private var head: Int32 = -1
    private var tail: Int32 = -1

    var count: Int { index.count }

    /// How many responses are complete while our side of the stream is still open.
    private(set) var endedEarly = 0

    /// The slot of the request that has been open for the longest time.
    var oldest: Int? { head < 0 ? nil : Int(head) }

    /// The slot of the request that was opened last.
    var newest: Int? { tail < 0 ? nil : Int(tail) }

    func slot(of stream: Int32) -> Int? {
        index.slot(of: stream)
    }

    /// The request opened just before the one in a slot.
    func older(than slot: Int) -> Int? {
        let older = self[slot].older
        return older < 0 ? nil : Int(older)
    }

    /// - Precondition: the slot is in use.
    subscript(slot: Int) -> Slot {
        // The precondition: slots come from this table and are used until `remove`.
        _read { yield slots[slot]! }
        _modify { yield &slots[slot]! }
    }

    mutating func insert(job: RequestJob, stream: Int32, at now: MonotonicTime, tokenSerial: Int) {
        var entry = Slot(job: job, stream: stream, submittedAt: now, tokenSerial: tokenSerial)
        entry.older = tail
        let position: Int
        if let reused = free.popLast() {
            position = Int(reused)
            slots[position] = entry
        } else {
            position = slots.count
            slots.append(entry)
        }
        if tail >= 0 { self[Int(tail)].newer = Int32(position) } else { head = Int32(position) }
        tail = Int32(position)
        index.insert(stream, slot: position)
    }

    /// The response is complete.
    ///
    /// - Precondition: the slot is in use.
    mutating func markEnded(_ slot: Int) {
        guard !self[slot].hasEnded else { return }
        self[slot].hasEnded = true
        endedEarly += 1
    }

    /// Marks the batches of a kind that have open requests as taken back.
    func withdraw(_ cause: PushFailureCause, where isMeant: (PendingBatch) -> Bool) {
        var asked: PendingBatch?
        var next = newest
        while let slot = next {
            next = older(than: slot)
            let batch = self[slot].job.batch
            // The requests of a batch are opened one after another.
            guard batch !== asked else { continue }
            asked = batch
            if isMeant(batch) { batch.withdrawal = cause }
        }
    }

    /// - Precondition: the slot is in use.
    mutating func remove(_ position: Int) -> Slot {
        // The precondition: slots come from this table and are used until here.
        let entry = slots[position].take()!
        if entry.hasEnded { endedEarly -= 1 }
        if entry.older >= 0 { self[Int(entry.older)].newer = entry.newer } else { head = entry.newer }
        if entry.newer >= 0 { self[Int(entry.newer)].older = entry.older } else { tail = entry.older }
        index.remove(entry.stream)
        free.append(Int32(position))
        return entry
    }
}
