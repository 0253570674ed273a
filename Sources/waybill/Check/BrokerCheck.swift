import WaybillAMQP
import WaybillMessages
import WaybillSettings

/// Reaches the broker and looks for the queues, without declaring anything.
enum BrokerCheck {
    static func run(_ broker: BrokerSettings, _ topology: Topology) -> [Finding] {
        do throws(AMQPError) {
            let endpoint = try broker.endpoint(for: "check")
            let connection = try AMQPConnection.open(endpoint)
            defer { connection.close() }
            return [
                Finding(.ok, path: "broker", message: "\(endpoint) answers"),
                queues(topology, connection),
            ]
        } catch {
            return [Finding(.error, category(of: error), path: "broker", message: "\(error)")]
        }
    }

    private static func queues(_ topology: Topology, _ connection: AMQPConnection) -> Finding {
        do throws(TopologyError) {
            try topology.verify(on: connection)
            return Finding(
                .ok,
                path: "broker",
                message: "\(topology.names.exchange) and all \(topology.queues.count) queues are there"
            )
        } catch {
            let category = error.cause.map { self.category(of: $0) } ?? .configuration
            return Finding(.error, category, path: "broker", message: error.text)
        }
    }

    private static func category(of error: AMQPError) -> Finding.Category {
        switch ExitStatus(error) {
        case .configuration: .configuration
        case .permission: .permission
        default: .unavailable
        }
    }
}
