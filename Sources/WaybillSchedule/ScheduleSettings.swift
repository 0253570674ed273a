package import WaybillAMQP
package import WaybillCore
package import WaybillMessages
package import WaybillNotifications
import WaybillThreads

/// What the schedule needs to know.
package struct ScheduleSettings: Sendable {
    package var endpoint: AMQPEndpoint
    package var queues: QueueNames
    package var database: String
    package var retention: RetentionPolicy
    /// What notifications are held to before they are handed over.
    package var rules: PostedRules
    /// Where what services say goes; `nil`: there are none.
    package var services: NotificationRoute?
    /// Whether devices can acknowledge anything, so that it looks for what nobody has acknowledged.
    package var repeatsUnacknowledged: Bool
    /// How often it looks for what is to be done, whether the store's change streams wake it or not.
    package var sweep: Duration

    /// Whoever has repaired broker or store is not to wait for long.
    static let freshBackoff = Backoff(first: .milliseconds(250), last: .seconds(5))

    package init(
        endpoint: AMQPEndpoint,
        queues: QueueNames,
        database: String,
        retention: RetentionPolicy,
        rules: PostedRules,
        services: NotificationRoute? = nil,
        repeatsUnacknowledged: Bool = false,
        sweep: Duration
    ) {
        self.endpoint = endpoint
        self.queues = queues
        self.database = database
        self.retention = retention
        self.rules = rules
        self.services = services
        self.repeatsUnacknowledged = repeatsUnacknowledged
        self.sweep = sweep
    }
}
