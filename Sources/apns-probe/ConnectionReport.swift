import WaybillAPNS
import WaybillProbe

/// Reports what happens to connections.
struct ConnectionReport: APNSObserver {
    let report: Report

    private func write(_ event: String, _ connection: APNSConnectionSnapshot, _ text: String?) {
        var line = JSONLine("connection")
        line["event"] = event
        line["connection"] = Int(connection.id)
        line["address"] = connection.address
        line["carried"] = connection.carried
        line["text"] = text
        report.write(line)
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
        var line = JSONLine("credentials")
        line["text"] = error
        report.write(line)
    }
}
