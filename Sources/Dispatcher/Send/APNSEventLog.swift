import Logging
import Telemetry
import WaybillAPNS

/// Writes what happens to the lanes' connections into the log; decides nothing.
struct APNSEventLog: APNSObserver {
    let logger: Logger

    func connected(lane: String, connection: APNSConnectionSnapshot) {
        logger.emit(DispatchEvent.apnsConnected(lane: lane, address: connection.address))
    }

    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
        logger.emit(DispatchEvent.apnsFailed(lane: lane, address: connection.address, reason: error))
    }

    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(DispatchEvent.apnsGoAway(lane: lane, address: connection.address, reason: reason))
    }

    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        logger.emit(DispatchEvent.apnsClosed(lane: lane, address: connection.address, reason: reason))
    }

    func credentialsFailed(lane: String, error: String) {
        logger.emit(DispatchEvent.credentialsFailed(lane: lane, reason: error))
    }
}
