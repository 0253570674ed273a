import Mongo
import Prune
import Settings

/// Reaches the store, and looks for a replica set with a primary and for the indexes, without creating anything.
enum StoreCheck {
    private static let deliveries = "deliveries"

    static func run(_ configuration: WaybillConfiguration) -> [Finding] {
        let store = configuration.store
        var findings: [Finding] = []
        do throws(MongoError) {
            try store.pool(for: "check").withClient { (client) throws(MongoError) in
                try client.ping(database: store.database)
                findings.append(Finding(.ok, path: "store", message: "\(store.displayURL) answers"))
                findings.append(try replicaSet(client))
                findings.append(try indexes(client, store.database))
            }
        } catch {
            findings.append(Finding(.error, category(of: error), path: "store", message: "\(error)"))
        }
        return findings
    }

    /// Without a replica set there is no majority, and an acknowledged record may still be lost.
    private static func replicaSet(_ client: MongoClient) throws(MongoError) -> Finding {
        let hello = try client.command(database: "admin", BSONDocument { $0.append("hello", int: 1) })
        if hello["msg"]?.string == "isdbgrid" {
            return Finding(.ok, path: "store", message: "a sharded cluster")
        }
        guard let name = hello["setName"]?.string else {
            return Finding(
                .warning,
                path: "store",
                message: "a single server, no replica set: what one member has acknowledged can be lost with it"
            )
        }
        guard hello["isWritablePrimary"]?.bool == true else {
            return Finding(.error, .unavailable, path: "store", message: "the replica set \(name) has no primary")
        }
        let members = Counted.text(hello["hosts"]?.elements?.count ?? 1, "member")
        return Finding(.ok, path: "store", message: "replica set \(name) with \(members) and a primary")
    }

    private static func indexes(_ client: MongoClient, _ database: String) throws(MongoError) -> Finding {
        let expiring = try specifications(client, database, deliveries).contains {
            $0["expireAfterSeconds"]?.int == 0 && $0["key"]?.document?["expires_at"] != nil
        }
        let unique = try specifications(client, database, DeviceRegistry.collection).contains {
            $0["unique"]?.bool == true && $0["key"]?.document?["device_token"] != nil
        }
        guard expiring, unique else {
            let missing = [expiring ? nil : deliveries, unique ? nil : DeviceRegistry.collection]
            return Finding(
                .error,
                path: "store",
                message: "indexes are missing on \(missing.compactMap(\.self).joined(separator: " and ")); "
                    + "create them with: waybill init"
            )
        }
        return Finding(.ok, path: "store", message: "retention and registry indexes are there")
    }

    /// The indexes of a collection; none when it does not exist.
    private static func specifications(_ client: MongoClient, _ database: String, _ collection: String)
        throws(MongoError) -> [BSONDocument]
    {
        do throws(MongoError) {
            let answer = try client.command(
                database: database,
                BSONDocument { $0.append("listIndexes", string: collection) }
            )
            return answer["cursor"]?.document?["firstBatch"]?.elements?.compactMap(\.document) ?? []
        } catch {
            // NamespaceNotFound
            guard error.nativeCode == 26 else { throw error }
            return []
        }
    }

    private static func category(of error: MongoError) -> Finding.Category {
        switch ExitStatus(error) {
        case .configuration: .configuration
        case .permission: .permission
        default: .unavailable
        }
    }
}
