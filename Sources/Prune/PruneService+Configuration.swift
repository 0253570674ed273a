import AMQP
package import Logging
import Mongo
package import Settings
import Topology

extension PruneService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Throws: `AMQPError` or `MongoError` for a URL that cannot be used.
    package init(configuration: WaybillConfiguration, logger: Logger) throws {
        let broker = configuration.broker
        let endpoint = try AMQPEndpoint(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            connectionName: "waybill prune"
        )
        self.init(
            settings: PruneSettings(
                endpoint: endpoint,
                queues: QueueNames(prefix: broker.queuePrefix),
                database: configuration.store.database
            ),
            pool: try MongoPool(url: configuration.store.url.value, applicationName: "waybill prune"),
            logger: logger
        )
    }
}
