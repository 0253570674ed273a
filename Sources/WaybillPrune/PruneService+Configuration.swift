package import Logging
import WaybillAMQP
import WaybillMessages
import WaybillMongo
package import WaybillSettings

extension PruneService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - broker: where the events are.
    ///   - store: where the registry is.
    ///   - trust: whom to believe about a token.
    ///   - logger: takes what the worker says.
    /// - Throws: `AMQPError` or `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(broker: BrokerSettings, store: StoreSettings, trust: PruneTrust, logger: Logger) throws {
        let endpoint = try AMQPEndpoint(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            identity: AMQPIdentity(certificateFile: broker.certificateFile, privateKeyFile: broker.privateKeyFile),
            connectionName: "waybill prune"
        )
        self.init(
            settings: PruneSettings(
                endpoint: endpoint,
                queues: QueueNames(prefix: broker.queuePrefix),
                database: store.database,
                trust: trust
            ),
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill prune",
                maximumClients: 1,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
}
