import WaybillAPNS
import WaybillProbe

/// Reports what happens to connections.
struct ConnectionReport: APNSObserver {
    let report: Report

    private func write(_ event: String, _ connection: APNSConnectionSnapshot, _ text: String?) {
        report.write(
            JSONLine(
                connection: connection.id,
                event: event,
                address: connection.address,
                carried: connection.carried,
                text: text
            )
        )
    }

    func connected(lane: String, connection: APNSConnectionSnapshot) {
        write("connected", connection, nil)
    }

    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
        write("failed", connection, error)
    }

    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        write("goaway", connection, reason)
    }

    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        write("closed", connection, reason)
    }

    func credentialsFailed(lane: String, error: String) {
        report.write(JSONLine(credentials: error))
    }
}
