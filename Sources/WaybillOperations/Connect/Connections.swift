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
    package func pool(
        for command: String,
        clients: Int = 1,
        search: Duration = .seconds(5),
        silence: Duration = .seconds(15)
    ) throws -> MongoPool {
        let pool = try MongoPool(
            url: url.value,
            applicationName: "waybill \(command)",
            maximumClients: clients,
            search: search,
            silence: silence,
            tls: MongoTLS(caFile: caFile, identity: try readIdentity())
        )
        poolsUntilExit.withLock { $0.append((pool, hosts)) }
        return pool
    }

    /// The hosts of the URL, as `a:27017,b:27017`: neither user nor password.
    package var hosts: String {
        let rest = displayURL.firstRange(of: "://").map { displayURL[$0.upperBound...] } ?? displayURL[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        return String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
    }

    /// The hosts of the store that this process has asked last; `nil` if it has asked none.
    package static var askedHosts: String? { poolsUntilExit.withLock { $0.last?.hosts } }
}

private let poolsUntilExit = Mutex<[(pool: MongoPool, hosts: String)]>([])

extension ConfigurationSections {
    /// The queues as they should be.
    package func topology(_ broker: BrokerSettings) -> Topology {
        Topology(names: broker.queues, delaySteps: retry.steps)
    }
}
