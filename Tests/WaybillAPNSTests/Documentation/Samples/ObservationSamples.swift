import WaybillAPNS

/// The code of "Observe the client".
enum ObservationSamples {
    struct LogObserver: APNSObserver {
        let write: @Sendable (String) -> Void

        func connected(lane: String, connection: APNSConnectionSnapshot) {
            write("\(lane): \(connection.address) is ready, \(connection.tlsVersion ?? "no TLS")")
        }

        func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
            write("\(lane): \(connection.address): \(error)")
        }

        func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
            write("\(lane): \(connection.address) says good-bye after \(connection.carried) pushes: \(reason)")
        }

        func credentialsFailed(lane: String, error: String) {
            write("\(lane): no provider token: \(error)")
        }
    }

    static func make(_ configuration: APNSConfiguration, write: @escaping @Sendable (String) -> Void) throws
        -> APNSClient
    {
        let client = try APNSClient(configuration, observer: LogObserver(write: write))
        return client
    }

    static func metrics(of client: APNSClient) -> String {
        var text = ""
        for lane in client.snapshot.lanes {
            text += "apns_waiting{lane=\"\(lane.name)\"} \(lane.waiting)\n"
            text += "apns_accepted_total{lane=\"\(lane.name)\"} \(lane.answers.accepted)\n"
            text += "apns_unknown_total{lane=\"\(lane.name)\"} \(lane.unknown)\n"
            for connection in lane.connections where connection.state == .open {
                text += "apns_streams{address=\"\(connection.address)\"} \(connection.streamsOpen)\n"
            }
        }
        return text
    }
}
