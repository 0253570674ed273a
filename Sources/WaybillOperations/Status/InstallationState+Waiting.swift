import WaybillAMQP
import WaybillEncoding
import WaybillFleet
import WaybillMongo

/// What waits, and for how long, as far as broker and dispatchers tell.
extension InstallationState {
    /// Messages that were handed out and are not acknowledged: by queue from the broker, or all together from what the
    /// dispatchers say of themselves that are up, or silent and may hold messages.
    package enum Unacknowledged: Hashable, Sendable {
        case byQueue([String: Int])
        case reported(Int)
        /// The store, which has what dispatchers say of themselves, does not answer.
        case unknown
    }

    package var unacknowledged: Unacknowledged {
        if case .success(let broker) = broker, case .success(let report)? = broker.management {
            return .byQueue(report.unacknowledged)
        }
        guard case .success = store else { return .unknown }
        let silent = leases.filter { FleetHealth.mayHold($0, among: leases, consumed, now: now) }
        return .reported((reports + silent.map { ProcessReport($0) }).map(\.held).reduce(0, +))
    }

    /// For how long the oldest message may have waited that still waits in a queue, at the most: no dispatcher has taken one
    /// of the queue whose own time was later; `nil` when none has said so.
    package func longestWait(in queue: String) -> Duration? {
        let times = reports.compactMap { $0.takenUpTo?[queue] }.compactMap(TimeText.date)
        return times.max().map { .milliseconds(max(0, now - $0)) }
    }

    /// What the processes that are up say of themselves.
    private var reports: [ProcessReport] { present.map { ProcessReport($0) } }
}
