import WaybillAccounts
import WaybillAudience
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillFleet
import WaybillMongo
import WaybillNotifications
import WaybillOperations
import WaybillOutbox
import WaybillReceipts
import WaybillSettings

/// Reaches the store, and looks for a replica set with a primary and for the indexes, without creating anything.
enum StoreCheck {
    static func run(_ store: StoreSettings, role: ConfigurationRole) -> ServerFindings {
        var findings: [Finding] = []
        var untouched: Finding?
        do {
            try store.pool(for: "check").withClient { (client) throws(MongoError) in
                try client.ping(database: store.database)
                findings.append(Finding(.ok, path: "store", message: "\(store.displayURL) answers"))
                findings.append(try replicaSet(client))
                let hasLog = [.all, .dispatch].contains(role)
                if hasLog, try DeliveryLogIndexes.isUntouched(client: client, database: store.database) {
                    untouched = ServerFindings.untouched("store", "none of its indexes")
                } else {
                    findings += try indexes(client, store.database, role)
                }
            }
        } catch {
            let category = Self.category(of: error)
            let advice = category == .permission ? StateAdvice.storeRights : StateAdvice.store
            let message =
                (error as? MongoError)?.silence.map { "the store at \(store.hosts) does not answer: \($0)" }
                ?? "\(error)"
            findings.append(
                Finding(.error, category, path: "store", message: message, advice: advice, subject: "store")
            )
        }
        return ServerFindings(findings: findings, untouched: untouched)
    }

    /// Without a replica set there is no majority, and an acknowledged record may still be lost.
    private static func replicaSet(_ client: MongoClient) throws(MongoError) -> Finding {
        switch try client.deployment() {
        case .sharded: return Finding(.ok, path: "store", message: "a sharded cluster")
        case .single:
            return Finding(
                .warning,
                path: "store",
                message: "a single server, no replica set: what one member has acknowledged can be lost with it"
            )
        case .replicaSet(let name, _, hasPrimary: false):
            return Finding(.error, .unavailable, path: "store", message: "the replica set \(name) has no primary")
        case .replicaSet(let name, let members, hasPrimary: true):
            let members = Counted.text(members, "member")
            return Finding(.ok, path: "store", message: "replica set \(name) with \(members) and a primary")
        }
    }

    private static func indexes(_ client: MongoClient, _ database: String, _ role: ConfigurationRole)
        throws(MongoError) -> [Finding]
    {
        var findings: [Finding] = []
        var missing: [String] = []
        if [.all, .dispatch, .initialise].contains(role) {
            missing += try DeliveryLogIndexes.missing(client: client, database: database)
            missing += try StatisticsIndexes.missing(client: client, database: database)
            findings += try foreign { () throws(MongoError) in
                try DeliveryLogIndexes.refuseForeignExpiry(client: client, database: database)
            }
        }
        if [.all, .fanout, .initialise].contains(role) {
            missing += try AudienceIndexes.missing(client: client, database: database)
        }
        if [.all, .prune, .fanout, .initialise].contains(role) {
            missing += try DeviceRegistryIndexes.missing(client: client, database: database)
            findings += try foreign { () throws(MongoError) in
                try DeviceRegistryIndexes.refuseForeignExpiry(client: client, database: database)
            }
            findings += try upgrade(client, database, role)
        }
        if [.all, .prune, .initialise].contains(role) {
            missing += try FuseIndexes.missing(client: client, database: database)
        }
        if [.all, .keys, .initialise].contains(role) {
            missing += try AccountsIndexes.missing(client: client, database: database)
        }
        if [.all, .keys, .schedule, .initialise].contains(role) {
            missing += try NotificationIndexes.missing(client: client, database: database)
        }
        if [.all, .campaign, .initialise].contains(role) {
            missing += try CampaignIndexes.missing(client: client, database: database)
        }
        if [.all, .hooks, .initialise].contains(role) {
            missing += try OutboxIndexes.missing(client: client, database: database)
        }
        if [.all, .initialise].contains(role) {
            missing += try ReceiptIndexes.missing(client: client, database: database)
        }
        if [.all, .initialise].contains(role) {
            missing += try FleetIndexes.missing(client: client, database: database)
        }
        guard [.all, .dispatch, .prune, .fanout, .schedule, .campaign, .keys, .hooks, .initialise].contains(role) else {
            return []
        }
        if missing.isEmpty {
            findings.append(Finding(.ok, path: "store", message: "the indexes are there"))
        } else if role == .initialise {
            let message = "\(missing.count) indexes are for init to create: \(missing.joined(separator: ", "))"
            findings.append(Finding(.ok, path: "store", message: message))
        } else {
            let message = "indexes are missing; create them with waybill init: \(missing.joined(separator: ", "))"
            findings.append(Finding(.error, path: "store", message: message))
        }
        return findings
    }

    /// What is left of the registry's earlier layout, with what to do about it.
    private static func upgrade(_ client: MongoClient, _ database: String, _ role: ConfigurationRole)
        throws(MongoError) -> [Finding]
    {
        let former = try foreign { () throws(MongoError) in
            try DeviceRegistryIndexes.requireNoFormer(client: client, database: database)
        }
        guard former.isEmpty, try DeviceReader(client: client, database: database).needsUpgrade() else {
            // For init it is no error: it makes what the upgrade needs.
            return role == .initialise ? former.map { Finding(.warning, path: $0.path, message: $0.message) } : former
        }
        let message =
            "devices are in the layout of an earlier release, where pruning does not find them; convert them with: waybill devices upgrade"
        return [Finding(.warning, path: "store", message: message)]
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

    private static func category(of error: any Error) -> Finding.Category {
        switch ExitStatus(error) {
        case .configuration: .configuration
        case .permission: .permission
        default: .unavailable
        }
    }
}
