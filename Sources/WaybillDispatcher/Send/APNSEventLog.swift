import Logging
import WaybillAPNS
import WaybillTelemetry

/// Writes what happens to the lanes' connections into the log; decides nothing.
struct APNSEventLog: APNSObserver {
    let logger: Logger

    func connected(lane: String, connection: APNSConnectionSnapshot) {
        logger.emit(DispatchEvent.apnsConnected(lane: lane, connection))
    }

    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
        logger.emit(DispatchEvent.apnsFailed(lane: lane, connection, reason: error))
    }

    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(DispatchEvent.apnsGoAway(lane: lane, connection, reason: reason))
    }

    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(DispatchEvent.apnsClosed(lane: lane, connection, reason: reason))
    }

    func credentialsFailed(lane: String, error: String) {
        logger.emit(DispatchEvent.credentialsFailed(lane: lane, reason: error))
    }
}
