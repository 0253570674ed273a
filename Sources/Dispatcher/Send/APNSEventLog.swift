import Logging
import Telemetry
import WaybillAPNS

/// Writes what happens to the lanes' connections into the log; decides nothing.
struct APNSEventLog: APNSObserver {
    let logger: Logger

    func connected(lane: String, address: String, streams: Int) {
        logger.emit(DispatchEvent.apnsConnected(lane: lane, address: address))
    }

    func connectionFailed(lane: String, address: String, error: String) {
        logger.emit(DispatchEvent.apnsFailed(lane: lane, address: address, reason: error))
    }

    func goAway(lane: String, address: String, reason: String) {
        logger.emit(DispatchEvent.apnsGoAway(lane: lane, address: address, reason: reason))
    }

    func closed(lane: String, address: String, reason: String) {
        logger.emit(DispatchEvent.apnsClosed(lane: lane, address: address, reason: reason))
    }

    func credentialsFailed(lane: String, error: String) {
        logger.emit(DispatchEvent.credentialsFailed(lane: lane, reason: error))
    }
}
