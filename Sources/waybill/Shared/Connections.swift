import AMQP
import Mongo
import Settings
import Topology
import WaybillCore

extension BrokerSettings {
    /// The broker for one command's connection.
    func endpoint(for command: String) throws(AMQPError) -> AMQPEndpoint {
        try AMQPEndpoint(
            url: url,
            password: password?.value,
            caFile: caFile,
            connectionName: "waybill \(command)"
        )
    }

    var queues: QueueNames { QueueNames(prefix: queuePrefix) }
}

extension StoreSettings {
    /// The store for one command, which needs one client.
    func pool(for command: String) throws(MongoError) -> MongoPool {
        try MongoPool(url: url.value, applicationName: "waybill \(command)", maximumClients: 1)
    }
}

extension WaybillConfiguration {
    /// The queues as they should be.
    var topology: Topology { Topology(prefix: broker.queuePrefix, delaySteps: retry.steps) }
}
