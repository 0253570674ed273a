package import WaybillAMQP
package import WaybillCore
package import WaybillDeliveryLog
package import WaybillMessages

/// Whom the pruning worker believes about a token.
package enum PruneTrust: Sendable {
    /// The delivery log: an event counts as far as the log has the refusal that it names.
    ///
    /// The environments of the lanes are by name: the log holds a record's lane only.
    case log(DeliveryLogOptions, environments: [String: Environment])
    /// Whoever may write events: for those of other systems, which have no record here.
    case events
}

/// What the pruning worker needs to know.
package struct PruneSettings: Sendable {
    package var endpoint: AMQPEndpoint
    package var queues: QueueNames
    package var database: String
    package var trust: PruneTrust
    /// Events that are written together; twice as many may be under way from the broker.
    package var batchSize = 500

    package init(endpoint: AMQPEndpoint, queues: QueueNames, database: String, trust: PruneTrust) {
        self.endpoint = endpoint
        self.queues = queues
        self.database = database
        self.trust = trust
    }
}
