import WaybillPushTransport

/// Tells a client's observer what the transport tells.
struct ObserverAdapter: LaneObserver {
    let observer: any APNSObserver

    func connected(lane: String, connection: ConnectionRecord) {
        observer.connected(lane: lane, connection: APNSConnectionSnapshot(connection))
    }

    func connectionFailed(lane: String, connection: ConnectionRecord, error: String) {
        observer.connectionFailed(lane: lane, connection: APNSConnectionSnapshot(connection), error: error)
    }

    func goAway(lane: String, connection: ConnectionRecord, reason: String) {
        observer.goAway(lane: lane, connection: APNSConnectionSnapshot(connection), reason: reason)
    }

    func closed(lane: String, connection: ConnectionRecord, reason: String) {
        observer.closed(lane: lane, connection: APNSConnectionSnapshot(connection), reason: reason)
    }

    func credentialsFailed(lane: String, error: String) {
        observer.credentialsFailed(lane: lane, error: error)
    }
}
