import WaybillThreads

/// What a driver's thread and the others share.
final class DriverShared<Batch: Sendable>: Sendable {
    let mailbox: Mailbox<DriverCommand<Batch>>
    let watch: LoopWatch
    /// Whether batches are taken.
    ///
    /// Held while one is put into the mailbox, so that none slips in behind the last look.
    private let isOpen = Guarded(true)
    private let lanes: Guarded<[LaneRecord]>

    init(name: String, laneNames: [String]) throws(ThreadError) {
        watch = LoopWatch(name: name, patience: LoopWatch.promptPatience)
        mailbox = try Mailbox()
        lanes = Guarded(laneNames.map(LaneRecord.init(name:)))
    }

    /// - Returns: `false` after ``shut(by:)``.
    func submit(lane: Int, _ batches: [Batch]) -> Bool {
        isOpen.withLock { isOpen in
            guard isOpen else { return false }
            watch.isAsked()
            mailbox.send(.submit(lane: lane, batches: batches))
            return true
        }
    }

    /// Takes no batches from here on, and tells the driver.
    func shut(by time: MonotonicTime) {
        isOpen.withLock { isOpen in
            isOpen = false
            mailbox.send(.close(by: time))
        }
    }

    func publish(_ record: LaneRecord, lane: Int) {
        lanes.withLock { $0[lane] = record }
    }

    var records: [LaneRecord] { lanes.withLock { $0 } }
}
