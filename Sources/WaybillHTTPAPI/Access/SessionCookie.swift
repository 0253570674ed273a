import HTTPTypes
import WaybillAccounts

/// The cookie of an operator's session.
struct SessionCookie: Sendable {
    enum Shown {
        case none
        case unreadable
        case secret(SessionSecret)
    }

    private let cookie: BrowserCookie

    /// - Parameter isProtected: whether the browser speaks TLS, with this server or with the proxy in front.
    init(isProtected: Bool) {
        cookie = BrowserCookie("waybill_session", isProtected: isProtected)
    }

    /// The field that gives it to a browser for so many seconds.
    func field(_ secret: SessionSecret, seconds: Int64) -> String { cookie.field(secret.reveal(), seconds: seconds) }

    /// The field that takes it away.
    var removal: String { cookie.removal }

    /// What a request brings.
    func shown(_ fields: HTTPFields) -> Shown {
        switch cookie.shown(fields) {
        case .none: .none
        case .several: .unreadable
        case .value(let text): SessionSecret(text).map { .secret($0) } ?? .unreadable
        }
    }
}
