package import WaybillAMQP
package import WaybillAudience
package import WaybillCore
package import WaybillMessages

/// What the schedule needs to know.
package struct ScheduleSettings: Sendable {
    package var endpoint: AMQPEndpoint
    package var queues: QueueNames
    package var database: String
    package var retention: RetentionPolicy
    /// What an audience is held to before it is handed over.
    package var examination: AudienceExamination
    /// Whose notifications those are that do not say so.
    package var client: String
    /// How often it looks for what is to be done, whether the store's change streams wake it or not.
    package var sweep: Duration

    package init(
        endpoint: AMQPEndpoint,
        queues: QueueNames,
        database: String,
        retention: RetentionPolicy,
        examination: AudienceExamination,
        client: String,
        sweep: Duration
    ) {
        self.endpoint = endpoint
        self.queues = queues
        self.database = database
        self.retention = retention
        self.examination = examination
        self.client = client
        self.sweep = sweep
    }
}
