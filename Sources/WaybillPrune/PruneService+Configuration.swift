package import Logging
import WaybillAMQP
package import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillMongo
package import WaybillProviders
package import WaybillSettings

extension PruneService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - broker: where the events are.
    ///   - store: where the registry is.
    ///   - trust: whom to believe about a token.
    ///   - fuse: when to believe the push service no more.
    ///   - lanes: what is measured of each from the start, though nothing is held of it.
    ///   - logger: takes what the worker says.
    /// - Throws: `AMQPError` or `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(
        broker: BrokerSettings,
        store: StoreSettings,
        trust: PruneTrust,
        fuse: FusePolicy,
        lanes: [Lane] = [],
        logger: Logger
    ) throws {
        let endpoint = try AMQPEndpoint(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            identity: AMQPIdentity(certificateFile: broker.certificateFile, privateKeyFile: broker.privateKeyFile),
            connectionName: "waybill prune"
        )
        var settings = PruneSettings(
            endpoint: endpoint,
            queues: QueueNames(prefix: broker.queuePrefix),
            database: store.database,
            trust: trust
        )
        settings.fuse = fuse
        settings.knownFuses = lanes.map { FuseName(lane: $0.name, app: $0.provider.app) }
        self.init(
            settings: settings,
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill prune",
                // The fuse has one while registry and log are asked with another.
                maximumClients: 2,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
}
