package import Logging
import WaybillAMQP
import WaybillAudience
import WaybillMessages
import WaybillMongo
import WaybillProviders
package import WaybillSettings

extension FanoutService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Throws: `AMQPError` or `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(configuration: WaybillConfiguration, logger: Logger) throws {
        let broker = configuration.broker
        let store = configuration.store
        let endpoint = try AMQPEndpoint(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            identity: AMQPIdentity(certificateFile: broker.certificateFile, privateKeyFile: broker.privateKeyFile),
            connectionName: "waybill fanout"
        )
        self.init(
            settings: FanoutSettings(
                endpoint: endpoint,
                queues: QueueNames(prefix: broker.queuePrefix, numberedQueues: broker.dispatchQueues),
                database: store.database,
                lanes: configuration.lanes.map(\.lane),
                limits: configuration.limits,
                producers: configuration.producers,
                retention: configuration.retention,
                apps: ClientApps(configuration.reach.apps, isClosed: configuration.reach.isClosed),
                backlog: configuration.fanout.backlog,
                keep: configuration.fanout.keep
            ),
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill fanout",
                maximumClients: 1,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
}
