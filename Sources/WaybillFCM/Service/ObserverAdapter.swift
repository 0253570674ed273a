import WaybillPushTransport

/// Tells a client's observer what the transport tells.
struct ObserverAdapter: LaneObserver {
    let observer: any FCMObserver

    func connected(lane: String, connection: ConnectionRecord) {
        observer.connected(client: lane, connection: FCMConnectionSnapshot(connection))
    }

    func connectionFailed(lane: String, connection: ConnectionRecord, error: String) {
        observer.connectionFailed(client: lane, connection: FCMConnectionSnapshot(connection), error: error)
    }

    func goAway(lane: String, connection: ConnectionRecord, reason: String) {
        observer.goAway(client: lane, connection: FCMConnectionSnapshot(connection), reason: reason)
    }

    func closed(lane: String, connection: ConnectionRecord, reason: String) {
        observer.closed(client: lane, connection: FCMConnectionSnapshot(connection), reason: reason)
    }

    func credentialsFailed(lane: String, error: String) {
        observer.credentialsFailed(client: lane, error: error)
    }
}
