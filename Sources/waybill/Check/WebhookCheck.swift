import WaybillMongo
import WaybillOperations
import WaybillOutbox
import WaybillSettings

/// Looks how many endpoints there are, and how much they are still to be told.
enum WebhookCheck {
    /// Nothing while the store does not answer, or has its findings already.
    static func run(_ store: StoreSettings) -> [Finding] {
        guard let client = try? store.pool(for: "check").pop(), let text = try? text(client, store.database) else {
            return []
        }
        return [Finding(.ok, path: "webhooks", message: text)]
    }

    private static func text(_ client: MongoClient, _ database: String) throws(MongoError) -> String {
        let endpoints = try WebhookEndpoints(client: client, database: database).all()
        let active = endpoints.filter(\.isActive).map(\.id)
        let deliveries = WebhookDeliveries(client: client, database: database)
        let (waiting, failed) = (try deliveries.count(at: active, .waiting), try deliveries.count(at: active, .failed))
        return
            "endpoints: \(active.count) active, \(endpoints.count - active.count) disabled; events that wait: \(waiting); "
            + "given up in the last 30 days: \(failed)"
    }
}
