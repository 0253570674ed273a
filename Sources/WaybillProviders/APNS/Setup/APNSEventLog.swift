import Logging
import WaybillAPNS
import WaybillTelemetry

/// Writes what happens to the lanes' connections into the log; decides nothing.
struct APNSEventLog: APNSObserver {
    let logger: Logger

    func connected(lane: String, connection: APNSConnectionSnapshot) {
        logger.emit(APNSEvent.connected(lane: lane, connection))
    }

    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
        logger.emit(APNSEvent.failed(lane: lane, connection, reason: error))
    }

    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(APNSEvent.goAway(lane: lane, connection, reason: reason))
    }

    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(APNSEvent.closed(lane: lane, connection, reason: reason))
    }

    func credentialsFailed(lane: String, error: String) {
        logger.emit(APNSEvent.credentialsFailed(lane: lane, reason: error))
    }
}
