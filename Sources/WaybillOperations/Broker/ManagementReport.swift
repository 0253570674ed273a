import Foundation
import WaybillEncoding
package import WaybillSettings
import WaybillTransfer

/// What RabbitMQ's HTTP API tells that AMQP does not.
package struct ManagementReport: Hashable, Sendable {
    /// Messages that were handed out and are not acknowledged, by queue.
    package var unacknowledged: [String: Int]
    /// One sentence for each alarm: while there is one, the broker takes no messages.
    package var alarms: [String]
    /// One sentence for each node of the cluster that is not there.
    package var missingNodes: [String]

    package init(unacknowledged: [String: Int] = [:], alarms: [String] = [], missingNodes: [String] = []) {
        self.unacknowledged = unacknowledged
        self.alarms = alarms
        self.missingNodes = missingNodes
    }

    /// Why nothing is known.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        /// In one line, without password.
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }
}

extension ManagementReport {
    /// Asks for the queues of a virtual host, and for the nodes.
    ///
    /// *Blocking:* up to five seconds for each of the two.
    ///
    /// - Throws: `Failure` when the API does not answer, refuses the user, or answers what cannot be read.
    package init(asking settings: BrokerManagement, virtualHost: String) throws(Failure) {
        let host = PercentEncoding.encode(virtualHost)
        let queues: [Queue] = try Self.get("/api/queues/\(host)?columns=name,messages_unacknowledged", settings)
        let nodes: [Node] = try Self.get("/api/nodes?columns=name,running,mem_alarm,disk_free_alarm", settings)
        self.init(queues: queues, nodes: nodes)
    }

    init(queues: [Queue], nodes: [Node]) {
        let nodes = nodes.sorted { $0.name < $1.name }
        self.init(
            unacknowledged: Dictionary(queues.map { ($0.name, $0.messagesUnacknowledged ?? 0) }) { first, _ in first },
            alarms: nodes.flatMap(\.alarms),
            missingNodes: nodes.filter { $0.running == false }.map { "the broker's node \($0.name) does not run" }
        )
    }

    /// A queue as the API has it; a new one has no numbers yet.
    struct Queue: Decodable {
        var name: String
        var messagesUnacknowledged: Int?
    }

    /// A node as the API has it.
    struct Node: Decodable {
        var name: String
        var running: Bool?
        var memAlarm: Bool?
        var diskFreeAlarm: Bool?

        var alarms: [String] {
            guard running != false else { return [] }
            var alarms: [String] = []
            if memAlarm == true { alarms.append("memory alarm on \(name): the broker takes no messages") }
            if diskFreeAlarm == true { alarms.append("disk alarm on \(name): the broker takes no messages") }
            return alarms
        }
    }

    static func decode<Value: Decodable>(_ body: [UInt8]) throws(Failure) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Value.self, from: Data(body))
        } catch {
            throw Failure("its answer is not RabbitMQ's")
        }
    }

    private static func get<Value: Decodable>(_ path: String, _ settings: BrokerManagement) throws(Failure) -> Value {
        let response: TransferResponse
        do throws(TransferError) {
            response = try TransferClient.send(
                TransferRequest(
                    url: settings.url + path,
                    credentials: settings.user.map {
                        TransferRequest.Credentials(user: $0, password: settings.password?.value ?? "")
                    },
                    caFile: settings.caFile
                )
            )
        } catch {
            throw Failure(error.description)
        }
        switch response.status {
        case 200: return try decode(response.body)
        case 401:
            throw Failure(
                "it refuses the user \(settings.user ?? "(none)"): wrong password, or without the tag monitoring"
            )
        case 404: throw Failure("it knows no such virtual host, or the user may not see it")
        default: throw Failure("it answers with status \(response.status)")
        }
    }
}
