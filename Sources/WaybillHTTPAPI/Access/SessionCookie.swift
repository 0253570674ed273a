import HTTPTypes
import WaybillAccounts

/// The cookie that a browser has of a session: no script reads it, no other site's page makes it travel.
struct SessionCookie: Sendable {
    /// Whether the browser speaks TLS, with this server or with the proxy in front.
    let isProtected: Bool

    enum Shown {
        case none
        case unreadable
        case secret(SessionSecret)
    }

    /// `__Host-`: no other server of the domain, and nobody without TLS, can have set it.
    private static let protectedName = "__Host-waybill_session"
    private static let plainName = "waybill_session"

    /// The field that gives it to a browser for so many seconds.
    func field(_ secret: SessionSecret, seconds: Int64) -> String { text(secret.reveal(), seconds: seconds) }

    /// The field that takes it away.
    var removal: String { text("", seconds: 0) }

    private var name: String { isProtected ? Self.protectedName : Self.plainName }

    private func text(_ value: String, seconds: Int64) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isProtected ? "; Secure" : "")
    }

    /// What a request brings, under the one name; two of them are none: one may be somebody else's.
    func shown(_ fields: HTTPFields) -> Shown {
        let pairs = fields[values: .cookie].flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair -> Substring? in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = sides[0].drop { $0 == " " }
            guard sides.count == 2, name == self.name else { return nil }
            return sides[1]
        }
        guard let value = values.first else { return .none }
        guard values.count == 1, let secret = SessionSecret(String(value)) else { return .unreadable }
        return .secret(secret)
    }
}
