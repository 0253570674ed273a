import Synchronization
package import WaybillAMQP
import WaybillCore
package import WaybillMessages
package import WaybillMongo
package import WaybillSettings

extension BrokerSettings {
    /// The broker for one command's connection.
    package func endpoint(for command: String) throws(AMQPError) -> AMQPEndpoint {
        try AMQPEndpoint(
            url: url,
            password: password?.value,
            caFile: caFile,
            identity: AMQPIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile),
            connectionName: "waybill \(command)"
        )
    }

    package var queues: QueueNames { QueueNames(prefix: queuePrefix, numberedQueues: dispatchQueues) }
}

extension StoreSettings {
    /// The store for one command, which needs so many clients.
    ///
    /// The pool lives until the process ends: taking it down waits for libmongoc's monitor, half a second that nobody
    /// who asks a question should spend. The system closes its sockets all the same.
    package func pool(for command: String, clients: Int = 1, silence: Duration = .seconds(15)) throws -> MongoPool {
        let pool = try MongoPool(
            url: url.value,
            applicationName: "waybill \(command)",
            maximumClients: clients,
            silence: silence,
            tls: MongoTLS(caFile: caFile, identity: try readIdentity())
        )
        poolsUntilExit.withLock { $0.append(pool) }
        return pool
    }
}

private let poolsUntilExit = Mutex<[MongoPool]>([])

extension ConfigurationSections {
    /// The queues as they should be.
    package func topology(_ broker: BrokerSettings) -> Topology {
        Topology(names: broker.queues, delaySteps: retry.steps)
    }
}
