import WaybillFCM
import WaybillProbe

/// Reports what happens to connections.
struct ConnectionReport: FCMObserver {
    let report: Report

    private func write(_ event: String, _ connection: FCMConnectionSnapshot, _ text: String?) {
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

    func connected(client: String, connection: FCMConnectionSnapshot) {
        write("connected", connection, nil)
    }

    func connectionFailed(client: String, connection: FCMConnectionSnapshot, error: String) {
        write("failed", connection, error)
    }

    func goAway(client: String, connection: FCMConnectionSnapshot, reason: String) {
        write("goaway", connection, reason)
    }

    func closed(client: String, connection: FCMConnectionSnapshot, reason: String) {
        write("closed", connection, reason)
    }

    func credentialsFailed(client: String, error: String) {
        report.write(JSONLine(credentials: error))
    }
}
