import Logging
import WaybillAccounts
import WaybillDeliveryLog
import WaybillMongo
import WaybillNotifications
import WaybillOperations
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

extension APIServer {
    /// What may fail to be made.
    struct Parts {
        let certificate: ServerCertificate?
        let store: StoreWorkers
        let ownStore: StoreWorkers
        let feed: TailFeed
        let events: AccountEventFeed?
        let helpers: BatchHelpers
        let door: FrontDoor?
        let sender: NotificationSender?
        let receipts: ReceiptRoute?
    }
}

extension APIServer.Parts {
    /// Makes them; the parameters are the server's.
    ///
    /// - Throws: for a certificate, a root secret or keys of receipts that cannot be used, and when the system has no threads.
    static func made(
        settings: ServeSettings,
        pool: MongoPool,
        backend: APIBackend,
        tail: TailLimits,
        evenTime: EvenTime,
        logger: Logger
    ) throws -> APIServer.Parts {
        let door = try settings.accounts.map { accounts in
            try FrontDoor(settings: accounts, database: backend.log.database, pool: pool, evenTime: evenTime) {
                event in
                logger.emit(event)
            }
        }
        return APIServer.Parts(
            certificate: try settings.certificate.map { try ServerCertificate($0) },
            store: try StoreWorkers(name: "wb-api", pool: pool),
            ownStore: try StoreWorkers(
                name: "wb-api-own",
                pool: pool,
                limits: StoreWorkers.Limits(threads: APILimits.ownThreads, threadsOfOneParty: 1)
            ),
            feed: try TailFeed(pool: pool, options: backend.log, limits: tail),
            events: try door.map { _ in try AccountEventFeed(pool: pool, database: backend.log.database) },
            helpers: BatchHelpers(pool: pool),
            door: door,
            sender: try door.flatMap { door -> NotificationSender? in
                guard let services = settings.services else { return nil }
                return try NotificationSender(
                    settings: services,
                    accounts: door.settings,
                    secrets: door.rules.keys.serviceKeys,
                    database: backend.log.database,
                    pool: pool,
                    broker: try backend.broker.endpoint(for: "serve"),
                    queues: backend.broker.queues,
                    examination: backend.campaigns.examination
                ) { event in
                    switch event {
                    case .connected: logger.emit(APIEvent.brokerConnected)
                    case .failed(let reason): logger.emit(APIEvent.brokerFailed(reason: reason))
                    }
                } onQueueEvent: { event in
                    logger.emit(APIEvent(event))
                }
            },
            receipts: try settings.receipts.map { receipts in
                try ReceiptRoute(settings: receipts, database: backend.log.database, pool: pool)
            }
        )
    }
}
