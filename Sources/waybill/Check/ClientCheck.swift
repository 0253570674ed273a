import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillEncoding
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// Looks for clients in the log that the configuration does not name, where it names any.
enum ClientCheck {
    /// How far back to look, and how long: the log may be large, and this is a question beside others.
    private static let newest = 100_000
    private static let patience = Duration.seconds(5)
    private static let mostShown = 20

    static func run(_ store: StoreSettings, _ retention: RetentionPolicy) -> [Finding] {
        guard !retention.names.isEmpty else { return [] }
        do {
            let options = try store.makeLogOptions(retention: retention)
            let clients = try store.pool(for: "check").withClient { (client) throws(MongoError) in
                let reader = DeliveryLogReader(client: client, options: options, scope: .all)
                return try reader.clients(ofNewest: newest, maximumTime: patience)
            }
            return findings(clients, retention)
        } catch let error as MongoError where error.code == .timeLimitExceeded {
            return [Finding(.warning, path: "retention.clients", message: "the log was too slow to look for clients")]
        } catch let error as MongoError where error.code == .accessRefused {
            return [Finding(.error, .permission, path: "store", message: "\(error)")]
        } catch {
            // Whatever keeps the store from answering has its finding already.
            return []
        }
    }

    static func findings(_ clients: [ExactName: Int], _ retention: RetentionPolicy) -> [Finding] {
        let unknown = clients.filter { retention.isUnknown($0.key.text) }.sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        let word =
            switch retention.unknown {
            case .keep: "kept without expiry"
            case .default: "kept for the default"
            case .reject: "refused"
            }
        return unknown.prefix(mostShown).map { name, count in
            let client = name.text
            let hint = NearestName.to(client, among: retention.names).map { "Did producers mean \($0)? Else name it" }
            return Finding(
                .warning,
                path: "retention.clients",
                message:
                    "the log has \(Counted.text(count, "record")) of the client \(client), which is not named: its messages are \(word). "
                    + "\(hint ?? "Name it"), such as \(client): default"
            )
        }
    }
}
