import WaybillDeliveryLog
import WaybillMongo
import WaybillPrune
import WaybillSettings

/// Reaches the store, and looks for a replica set with a primary and for the indexes, without creating anything.
enum StoreCheck {
    private static let deliveries = "deliveries"

    static func run(_ store: StoreSettings, role: ConfigurationRole) -> [Finding] {
        var findings: [Finding] = []
        do {
            try store.pool(for: "check").withClient { (client) throws(MongoError) in
                try client.ping(database: store.database)
                findings.append(Finding(.ok, path: "store", message: "\(store.displayURL) answers"))
                findings.append(try replicaSet(client))
                findings += try indexes(client, store.database, role)
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

    private static func indexes(_ client: MongoClient, _ database: String, _ role: ConfigurationRole)
        throws(MongoError) -> [Finding]
    {
        var findings: [Finding] = []
        var missing: [String] = []
        if [.all, .dispatch, .initialise].contains(role) {
            let isThere = try specifications(client, database, deliveries).contains {
                $0["expireAfterSeconds"]?.int == 0 && $0["key"]?.document?["expires_at"] != nil
            }
            if !isThere { missing.append(deliveries) }
            findings += try foreign { () throws(MongoError) in
                try DeliveryLogIndexes.refuseForeignExpiry(client: client, database: database)
            }
        }
        if [.all, .prune, .initialise].contains(role) {
            let isThere = try specifications(client, database, DeviceRegistry.collection).contains {
                $0["unique"]?.bool == true && $0["key"]?.document?["device_token"] != nil
            }
            if !isThere { missing.append(DeviceRegistry.collection) }
            findings += try foreign { () throws(MongoError) in
                try DeviceRegistryIndexes.refuseForeignExpiry(client: client, database: database)
            }
        }
        guard [.all, .dispatch, .prune, .initialise].contains(role) else { return [] }
        if missing.isEmpty {
            findings.append(Finding(.ok, path: "store", message: "retention and registry indexes are there"))
        } else {
            let message = "indexes are missing on \(missing.joined(separator: " and ")); create them with: waybill init"
            findings.append(Finding(.error, path: "store", message: message))
        }
        return findings
    }

    /// An index that deletes what nobody has allowed to be deleted is a finding; anything else goes on as an error.
    private static func foreign(_ examine: () throws(MongoError) -> Void) throws(MongoError) -> [Finding] {
        do throws(MongoError) {
            try examine()
            return []
        } catch {
            guard error.code == .indexConflict else { throw error }
            return [Finding(.error, path: "store", message: error.reason)]
        }
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

    private static func category(of error: any Error) -> Finding.Category {
        switch ExitStatus(error) {
        case .configuration: .configuration
        case .permission: .permission
        default: .unavailable
        }
    }
}
