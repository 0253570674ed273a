import Foundation
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// What commands have in common that write to the store.
enum StoreCommand {
    /// Runs a command's work with a client of the store.
    static func run(
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

    /// Who types this, for the record: the user and the host.
    static var author: String { "\(NSUserName())@\(ProcessInfo.processInfo.hostName)" }
}
