import Logging
import WaybillCore
import WaybillNotifications
import WaybillReceipts
import WaybillTelemetry

/// Tells what was done: counts it, and says it in the log where it is worth a line.
struct ScheduleReport {
    let control: ScheduleControl
    let logger: Logger

    /// A document cannot be sent.
    func refused(_ name: String, reason: String) {
        control.update { $0.refused += 1 }
        logger.emit(ScheduleEvent.refused(notification: name, reason: reason))
    }

    /// Nobody knows whether the broker has an audience; it is handed over once more.
    func repeated() { control.update { $0.repeated += 1 } }

    /// The broker has audiences.
    func handedOver(_ claimed: [PostedStore.Claimed]) {
        control.update { $0.handedOver += claimed.count }
        for one in claimed { logger.emit(ScheduleEvent.handedOver(notification: one.audience)) }
    }

    /// The broker has what a service said.
    func takenOver() { control.update { $0.takenOver += 1 } }

    /// A notification has ended.
    func ended(_ followed: PostedStore.Followed, _ progress: PostedProgress) {
        control.update { counts in
            switch progress.state {
            case .sent: counts.sent += 1
            case .cancelled: counts.cancelled += 1
            case .failed: counts.failed += 1
            case .scheduled, .sending: break
            }
        }
        logger.emit(
            ScheduleEvent.ended(
                notification: followed.audience,
                state: progress.state.rawValue,
                handedOver: progress.handedOver,
                reason: progress.reason
            )
        )
    }

    /// A notification has ended because the server refuses its query.
    func failed(_ name: String, reason: String) {
        control.update { $0.failed += 1 }
        let state = PostedProgress.State.failed.rawValue
        logger.emit(ScheduleEvent.ended(notification: name, state: state, handedOver: 0, reason: reason))
    }

    /// The broker has repeats.
    func sentAgain(_ repeats: [RepeatMessage]) {
        control.update { $0.unacknowledged += repeats.count }
        for member in repeats.map(\.member) {
            logger.emit(ScheduleEvent.repeated(id: member.first, number: member.number, limit: member.limit))
        }
    }

    /// Nothing more of a family is sent.
    func repeatsEnded(_ family: NotificationID, _ end: FamilyEnd) {
        if end == .acknowledged { control.update { $0.acknowledged += 1 } }
        logger.emit(ScheduleEvent.repeatsEnded(id: family, reason: end.rawValue))
    }
}
