import WaybillMongo
import WaybillOutbox

/// Tells endpoints of services what happens here; what becomes of notifications they are told from the log.
///
/// It is called when what happened is durable, and puts an event in once, however often it is told.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct ServiceWebhookEvents {
    private let endpoints: WebhookEndpoints
    private let deliveries: WebhookDeliveries

    init(client: MongoClient, database: String) {
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

    /// The ids of the endpoints of a service that want to hear of something.
    func wanting(_ type: WebhookEventType, in service: String) throws(MongoError) -> [String] {
        try endpoints.all(ofService: service).filter { $0.isActive && $0.wants(type) }.map(\.id)
    }
}
