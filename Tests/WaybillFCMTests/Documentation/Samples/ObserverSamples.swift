import WaybillFCM

/// The code of "Observe the client".
enum ObserverSamples {
    struct LogObserver: FCMObserver {
        let write: @Sendable (String) -> Void

        func connected(client: String, connection: FCMConnectionSnapshot) {
            write("\(client): \(connection.address) is ready, \(connection.streamLimit) streams")
        }

        func connectionFailed(client: String, connection: FCMConnectionSnapshot, error: String) {
            write("\(client): \(connection.address): \(error)")
        }

        func goAway(client: String, connection: FCMConnectionSnapshot, reason: String) {
            write("\(client): \(connection.address) ends after \(connection.carried) messages: \(reason)")
        }

        func credentialsFailed(client: String, error: String) {
            write("\(client): no access token: \(error)")
        }
    }

    static func make(_ configuration: FCMConfiguration, write: @escaping @Sendable (String) -> Void) throws -> FCMClient
    {
        let client = try FCMClient(configuration, observer: LogObserver(write: write))
        return client
    }

    static func metrics(of client: FCMClient) -> String {
        var text = ""
        let snapshot = client.snapshot
        text += "fcm_waiting \(snapshot.waiting)\n"
        text += "fcm_accepted_total \(snapshot.answers.accepted)\n"
        text += "fcm_throttled_total \(snapshot.answers.throttled)\n"
        text += "fcm_unknown_total \(snapshot.unknown)\n"
        for connection in snapshot.connections where connection.state == .open {
            text += "fcm_streams{address=\"\(connection.address)\"} \(connection.streamsOpen)\n"
        }
        return text
    }
}
