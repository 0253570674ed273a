package import Logging
import WaybillAMQP
import WaybillAudience
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillProviders
package import WaybillSettings

extension ScheduleService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: the file's.
    ///   - schedule: its section for this role.
    ///   - services: what the configuration says of people's services; `nil`: there are none.
    ///   - baseURL: where the installation is reached from outside, for services' images; `nil`: pushes have none.
    ///   - logger: takes what the worker says.
    /// - Throws: `AMQPError` or `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(
        configuration: WaybillConfiguration,
        schedule: ScheduleOptions,
        services: NotifireServiceSettings?,
        baseURL: String?,
        logger: Logger
    ) throws {
        let broker = configuration.broker
        let store = configuration.store
        let endpoint = try AMQPEndpoint(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            identity: AMQPIdentity(certificateFile: broker.certificateFile, privateKeyFile: broker.privateKeyFile),
            connectionName: "waybill schedule"
        )
        self.init(
            settings: ScheduleSettings(
                endpoint: endpoint,
                queues: QueueNames(prefix: broker.queuePrefix, numberedQueues: broker.dispatchQueues),
                database: store.database,
                retention: configuration.retention,
                rules: PostedRules(
                    client: schedule.client,
                    examination: AudienceExamination(
                        lanes: configuration.lanes.map(\.lane),
                        limits: configuration.limits,
                        retention: configuration.retention,
                        apps: ClientApps(configuration.reach.apps, isClosed: configuration.reach.isClosed)
                    )
                ),
                services: services.map { services in
                    NotificationRoute(
                        client: services.client,
                        app: services.app,
                        environment: services.environment,
                        lane: services.lane,
                        fcm: services.fcm.map { .init(project: $0.project, lane: $0.lane, testLane: $0.testLane) },
                        baseURL: baseURL
                    )
                },
                repeatsUnacknowledged: configuration.receipts != nil,
                sweep: schedule.sweep
            ),
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill schedule",
                maximumClients: 2,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
}
