import WaybillMongo
import WaybillOperations
import WaybillSettings

/// Where orders are.
enum OrderStore {
    /// Runs a command's work with a client of the store.
    static func use(
        _ settings: ConfigurationOptions,
        for role: ConfigurationRole,
        _ work: (MongoClient, _ database: String) throws -> Void
    ) throws {
        let store = try settings.loadStore(for: role)
        try reportingFailures(of: role.rawValue) {
            let pool = try store.pool(for: role.rawValue)
            let client = try pool.pop()
            defer { pool.push(client) }
            try work(client, store.database)
        }
    }
}
