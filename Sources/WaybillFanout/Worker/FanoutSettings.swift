package import WaybillAMQP
package import WaybillAudience
package import WaybillCore
package import WaybillMessages
package import WaybillProviders

/// What the fan-out needs to know.
package struct FanoutSettings: Sendable {
    package var endpoint: AMQPEndpoint
    package var queues: QueueNames
    package var database: String
    package var lanes: [Lane]
    package var limits: DecodingLimits
    /// Who may send as whom; `nil` asks nobody.
    package var producers: ProducerRules?
    package var retention: RetentionPolicy
    /// Which apps a client may reach.
    package var apps: ClientApps
    /// Messages that wait in the bulk queue while nothing more is put there.
    package var backlog: Int
    /// How long the record of an audience is kept after its end.
    package var keep: Duration

    package init(
        endpoint: AMQPEndpoint,
        queues: QueueNames,
        database: String,
        lanes: [Lane],
        limits: DecodingLimits,
        producers: ProducerRules?,
        retention: RetentionPolicy,
        apps: ClientApps,
        backlog: Int,
        keep: Duration
    ) {
        self.endpoint = endpoint
        self.queues = queues
        self.database = database
        self.lanes = lanes
        self.limits = limits
        self.producers = producers
        self.retention = retention
        self.apps = apps
        self.backlog = backlog
        self.keep = keep
    }

    /// Devices of a page, and tokens of a message.
    static let pageSize = 1000
    /// Bytes of a page's messages: its record has room for as many again.
    static let mostPageBytes = 7 << 20
    /// Audiences that a process expands at a time.
    static let most = 32
}
