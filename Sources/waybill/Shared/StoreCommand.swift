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
        try run(try settings.loadStore(for: role), for: role, work)
    }

    /// The same, of a configuration that was read before.
    static func run(
        _ store: StoreSettings,
        for role: ConfigurationRole,
        _ work: (MongoClient, _ database: String) throws -> Void
    ) throws {
        try reportingFailures(of: role.command) {
            let pool = try store.pool(for: role.command)
            let client = try pool.pop()
            defer { pool.push(client) }
            try work(client, store.database)
        }
    }

    /// Who types this, for the record: the user and the host.
    static var author: String { "\(NSUserName())@\(ProcessInfo.processInfo.hostName)" }
}
