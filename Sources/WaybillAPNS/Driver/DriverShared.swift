import WaybillThreads

/// What a driver's thread and the others share.
final class DriverShared: Sendable {
    let mailbox: Mailbox<DriverCommand>
    /// Whether batches are taken.
    ///
    /// Held while one is put into the mailbox, so that none slips in behind the last look.
    private let isOpen = Guarded(true)
    private let lanes: Guarded<[APNSLaneSnapshot]>

    init(laneNames: [String]) throws(APNSSetupError) {
        do {
            mailbox = try Mailbox()
        } catch {
            throw APNSSetupError(.system, "\(error)")
        }
        lanes = Guarded(laneNames.map(APNSLaneSnapshot.init(name:)))
    }

    /// - Returns: `false` after ``shut(with:)``.
    func submit(lane: Int, _ batches: [APNSRequestBatch]) -> Bool {
        isOpen.withLock { isOpen in
            if isOpen { mailbox.send(.submit(lane: lane, batches: batches)) }
            return isOpen
        }
    }

    /// Takes no batches from here on, and tells the driver.
    func shut(with command: DriverCommand) {
        isOpen.withLock { isOpen in
            isOpen = false
            mailbox.send(command)
        }
    }

    func publish(_ snapshot: APNSLaneSnapshot, lane: Int) {
        lanes.withLock { $0[lane] = snapshot }
    }

    var snapshot: APNSSnapshot {
        APNSSnapshot(lanes: lanes.withLock { $0 })
    }
}
