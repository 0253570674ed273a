import WaybillAMQP
import WaybillFleet
import WaybillMessages
import WaybillOperations
import WaybillSettings

/// Reaches the broker and looks for the queues, without declaring anything.
enum BrokerCheck {
    /// - Parameters:
    ///   - broker: how it is reached.
    ///   - topology: what must be there.
    ///   - services: of the front door, whose queues somebody else makes.
    ///   - role: whose user is tried.
    /// - Returns: what was found.
    static func run(
        _ broker: BrokerSettings,
        _ topology: Topology,
        services: NotifireServiceSettings? = nil,
        role: ConfigurationRole
    ) -> ServerFindings {
        do throws(AMQPError) {
            let endpoint = try broker.endpoint(for: "check")
            let connection = try AMQPConnection.open(endpoint, timeout: .seconds(5))
            defer { connection.close() }
            let answers = Finding(.ok, path: "broker", message: "\(endpoint) answers")
            let foreign = [.all, .serve, .run].contains(role) ? queues(of: services, endpoint) : []
            // What is not there yet is what init makes.
            guard let user = user(role) else { return ServerFindings(findings: [answers] + foreign) }
            let (found, isUntouched) = queues(topology, user, connection)
            // As what it counts, `status` says.
            if role == .status, !isUntouched { return ServerFindings(findings: [answers]) }
            return isUntouched
                ? ServerFindings(findings: [answers] + foreign, untouched: found)
                : ServerFindings(findings: [answers, found] + foreign)
        } catch {
            let category = category(of: error)
            let advice = category == .unavailable ? StateAdvice.broker : nil
            return ServerFindings(findings: [
                Finding(.error, category, path: "broker", message: "\(error)", advice: advice, subject: "broker")
            ])
        }
    }

    /// The thesis' queues: each on a connection of its own, for one that is missing ends the channel.
    private static func queues(of services: NotifireServiceSettings?, _ endpoint: AMQPEndpoint) -> [Finding] {
        let named = [("read_queue", services?.readQueue), ("write_queue", services?.writeQueue)] as [(String, String?)]
        return named.compactMap { (key, queue) -> Finding? in
            guard let queue else { return nil }
            let path = "serve.notifire.services.\(key)"
            do throws(AMQPError) {
                let connection = try AMQPConnection.open(endpoint, timeout: .seconds(5))
                defer { connection.close() }
                let waiting = try connection.inspectQueue(queue).messages
                return Finding(.ok, path: path, message: "\(queue) is there; \(waiting) wait in it")
            } catch {
                let advice =
                    error.code == .notFound ? "Make it as its other side needs it: waybill init does not." : nil
                return Finding(.error, category(of: error), path: path, message: "\(queue): \(error)", advice: advice)
            }
        }
    }

    private static func user(_ role: ConfigurationRole) -> TopologyUser? {
        switch role {
        case .all, .run, .status: .installation
        case .dispatch: .dispatcher
        case .send, .audience: .producer
        case .prune: .pruner
        case .fanout: .fanout
        case .schedule: .scheduler
        case .rejected, .serve: .replayer
        case .initialise, .logs, .devices, .keys, .accounts, .lanes, .cancel, .fuse, .campaign, .hooks, .webhooks: nil
        }
    }

    /// What is said of the queues, and whether none is there.
    private static func queues(
        _ topology: Topology,
        _ user: TopologyUser,
        _ connection: AMQPConnection
    ) -> (Finding, isUntouched: Bool) {
        do throws(TopologyError) {
            let found = try topology.verify(on: connection, for: user)
            let message =
                if case .installation = user {
                    "\(topology.names.exchange) and all \(topology.queues.count) queues are there"
                } else {
                    "there: \(found.joined(separator: ", "))"
                }
            return (Finding(.ok, path: "broker", message: message), false)
        } catch {
            if error.isUntouched { return (ServerFindings.untouched("broker", "none of its queues"), true) }
            let category = error.cause.map { self.category(of: $0) } ?? .configuration
            let advice: String? =
                switch category {
                case .unavailable: StateAdvice.broker
                case .permission: StateAdvice.brokerRights
                default: error.code == .missing ? FindingAdvice.queues : nil
                }
            // What processes lack because of it is told below, and what to do about it once.
            let subject = error.code == .missing ? FleetHealth.Subject.queues.rawValue : nil
            let finding = Finding(
                .error,
                category,
                path: "broker",
                message: error.text,
                advice: advice,
                subject: subject
            )
            return (finding, false)
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
