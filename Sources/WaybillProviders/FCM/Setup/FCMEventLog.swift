import Logging
import WaybillFCM
import WaybillTelemetry

/// Writes what happens to the lanes' connections into the log; decides nothing.
struct FCMEventLog: FCMObserver {
    let logger: Logger

    func connected(client lane: String, connection: FCMConnectionSnapshot) {
        logger.emit(FCMEvent.connected(lane: lane, connection))
    }

    func connectionFailed(client lane: String, connection: FCMConnectionSnapshot, error: String) {
        logger.emit(FCMEvent.failed(lane: lane, connection, reason: error))
    }

    func goAway(client lane: String, connection: FCMConnectionSnapshot, reason: String) {
        logger.emit(FCMEvent.goAway(lane: lane, connection, reason: reason))
    }

    func closed(client lane: String, connection: FCMConnectionSnapshot, reason: String) {
        logger.emit(FCMEvent.closed(lane: lane, connection, reason: reason))
    }

    func credentialsFailed(client lane: String, error: String) {
        logger.emit(FCMEvent.credentialsFailed(lane: lane, reason: error))
    }
}
