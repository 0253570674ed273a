package import WaybillAMQP
package import WaybillCore
import WaybillDeviceRegistry
package import WaybillMessages

/// What the pruning worker needs to know.
package struct PruneSettings: Sendable {
    package var endpoint: AMQPEndpoint
    package var queues: QueueNames
    package var database: String
    package var trust: PruneTrust
    /// Without the log's word, ``PruneTrust/events``, there is no fuse: nobody knows how many answers there were.
    package var fuse = FusePolicy()
    /// The fuses of lanes that are known from the start, whether or not one has ever blown.
    var knownFuses: [FuseName] = []
    /// Events that are written together; twice as many may be under way from the broker.
    package var batchSize = 500

    package init(endpoint: AMQPEndpoint, queues: QueueNames, database: String, trust: PruneTrust) {
        self.endpoint = endpoint
        self.queues = queues
        self.database = database
        self.trust = trust
    }
}
