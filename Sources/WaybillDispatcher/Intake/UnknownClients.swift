import WaybillCore
import WaybillEncoding
import WaybillSettings

/// Remembers which clients were seen that the configuration does not name, so that each is told of once.
struct UnknownClients {
    /// Names come from producers; what is beyond is not told of.
    static let most = 1_000

    private let retention: RetentionPolicy
    private var seen: Set<ExactName> = []

    init(retention: RetentionPolicy) {
        self.retention = retention
    }

    /// What to say about a message's client; `nil` for a known one and for one that was told of.
    mutating func meet(_ client: String?) -> DispatchEvent? {
        guard retention.isUnknown(client), let client, seen.count < Self.most, seen.insert(ExactName(client)).inserted
        else {
            return nil
        }
        return .unknownClient(
            Self.shown(client),
            nearest: NearestName.to(client, among: retention.names),
            retention: retention.unknown
        )
    }

    /// Why the message of an unknown client is refused.
    static func rejection(_ client: String, names: [String]) -> BodyRejection {
        let hint = NearestName.to(client, among: names).map { "; did it mean \($0)?" } ?? ""
        return BodyRejection(.unknownClient, "the configuration names no client \(shown(client))\(hint)")
    }

    /// A name from outside, bounded.
    private static func shown(_ client: String) -> String {
        client.count <= 80 ? client : client.prefix(80) + "…"
    }
}
