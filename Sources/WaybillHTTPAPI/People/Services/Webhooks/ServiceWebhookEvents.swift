import WaybillMongo
import WaybillNotifications
import WaybillOutbox

/// Tells endpoints of services what happens here; what becomes of notifications they are told from the log.
///
/// It is called when what happened is durable, and puts an event in once, however often it is told.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct ServiceWebhookEvents {
    private let endpoints: WebhookEndpoints
    private let deliveries: WebhookDeliveries
    private let news: NotificationNews

    init(client: MongoClient, database: String) {
        news = NotificationNews(client: client, database: database)
        endpoints = WebhookEndpoints(client: client, database: database)
        deliveries = WebhookDeliveries(client: client, database: database)
    }

    /// Tells the endpoints of a service that want to hear it.
    ///
    /// - Parameters:
    ///   - happening: what happened.
    ///   - service: the service's id.
    ///   - at: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    func tell(_ happening: ServiceHappening, of service: String, at: Int64) throws(MongoError) {
        let wanting = try wanting(happening.type, in: service)
        guard !wanting.isEmpty else { return }
        let event = happening.event(of: service, at: at)
        try deliveries.enqueue(wanting.map { (event, $0) }, now: at)
    }

    /// Tells what has become of notifications for people, and is not known to have been told.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: whether there may be more.
    /// - Throws: when it is not known to be durable: the same is told again, as the same events.
    @discardableResult
    func tellNews(now: Int64) throws(MongoError) -> Bool {
        let items = try news.untold()
        guard !items.isEmpty else { return false }
        var events: [(event: WebhookEvent, endpoint: String)] = []
        for (service, items) in Dictionary(grouping: items, by: \.service) {
            let endpoints = try endpoints.all(ofService: service).filter(\.isActive)
            for item in items {
                let happening = ServiceHappening(item)
                let event = happening.event(of: service, at: item.at)
                events += endpoints.filter { $0.wants(happening.type) }.map { (event, $0.id) }
            }
        }
        try deliveries.enqueue(events, now: now)
        try news.settle(items)
        return items.count >= NotificationNews.most
    }

    /// The ids of the endpoints of a service that want to hear of something.
    func wanting(_ type: WebhookEventType, in service: String) throws(MongoError) -> [String] {
        try endpoints.all(ofService: service).filter { $0.isActive && $0.wants(type) }.map(\.id)
    }
}

extension ServiceHappening {
    init(_ item: NotificationNews.Item) {
        self =
            switch item.what {
            case .suppressed(let people, let told):
                .suppressed(notification: item.notification, people: people, told: told)
            case .acknowledged(let account): .acknowledged(notification: item.notification, account: account)
            }
    }
}
