import Logging
import WaybillNotifications
import WaybillReceipts
import WaybillTelemetry

/// Tells of documents that nobody can do anything about, of each once.
///
/// *Thread:* the worker's.
final class OddDocuments {
    private let logger: Logger
    private var said = SaidOnce()

    init(logger: Logger) {
        self.logger = logger
    }

    /// One can be neither sent nor changed.
    func skipped(_ name: String, reason: String) {
        guard said.isNew(name, reason) else { return }
        logger.emit(ScheduleEvent.skipped(notification: name, reason: reason))
    }

    /// One has a state by which nobody follows it.
    func unfollowed(_ one: UnfollowedNotification) {
        guard said.isNew(one.name, one.reason) else { return }
        logger.emit(ScheduleEvent.unfollowed(notification: one.name, reason: one.reason))
    }

    /// A look for such documents has met its time limit.
    func cut(_ look: String, retryIn pause: Duration) {
        guard said.isNew("", look) else { return }
        logger.emit(ScheduleEvent.lookCut(look, retryIn: pause))
    }

    /// What is to be sent again cannot be read.
    func unreadable(_ one: UnreadableFamily) {
        guard said.isNew(one.name, one.reason) else { return }
        logger.emit(ScheduleEvent.repeatUnreadable(id: one.name, reason: one.reason))
    }
}
