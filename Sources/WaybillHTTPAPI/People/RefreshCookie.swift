import HTTPTypes
import Hummingbird
import WaybillAccounts

/// Where a page keeps a person's refresh token: in a cookie that no script reads, and that travels for this server's page alone.
///
/// Apps have it in bodies. Whoever asks says which it is by `refresh_in`.
struct RefreshCookie: Sendable {
    static let member = "refresh_in"

    private let cookie: BrowserCookie
    private let origin: OriginCheck

    /// - Parameter isProtected: whether the browser speaks TLS, with this server or with the proxy in front.
    init(isProtected: Bool) {
        cookie = BrowserCookie("waybill_refresh", isProtected: isProtected)
        origin = OriginCheck(isProtected: isProtected)
    }

    /// Where the tokens of an answer are to go.
    enum Place {
        case body, cookie
    }

    /// Where a request wants them.
    ///
    /// - Parameters:
    ///   - word: what its body says of it; `nil` for nothing.
    ///   - request: who asks.
    /// - Returns: the place.
    /// - Throws: ``Problem`` 400 for another word, 403 for what another site's page has sent: it would log a browser in as somebody.
    func place(_ word: String?, _ request: PersonRequest) throws(Problem) -> Place {
        switch word {
        case nil, "body": return .body
        case "cookie":
            try origin.refuseForeign(request.head)
            return .cookie
        default: throw .field(Self.member, "\(Self.member) is body or cookie")
        }
    }

    /// The refresh token that a request shows, and so where the next one goes.
    ///
    /// - Throws: ``Problem`` 400 for none, 401 for several, 403 for a cookie that another site's page has sent, or that may be.
    func token(_ request: PersonRequest) throws(Problem) -> (String, Place) {
        if let token = try request.body.value("refresh_token") { return (token, .body) }
        switch cookie.shown(request.head.headers) {
        case .none: throw Problem(.badRequest, "the body has no refresh_token, and there is no cookie with one")
        case .several: throw .unauthorized("there are several cookies with refresh tokens; log in again")
        case .value(let token):
            try origin.require(request.head, otherwise: "an app sends refresh_token in the body")
            return (token, .cookie)
        }
    }

    /// The tokens, each where it belongs.
    func answer(_ tokens: LoginTokens, status: HTTPResponse.Status, in place: Place) -> Response {
        var response = PersonAnswer.tokens(tokens, status: status, withRefresh: place == .body)
        if place == .cookie {
            response.headers[.setCookie] = cookie.field(tokens.refresh, seconds: RefreshFamilies.idleTime / 1000)
        }
        return response
    }

    /// What a log-out is answered with: a browser that has the cookie has it no longer.
    func loggedOut(_ request: PersonRequest) -> Response {
        var response = Response(status: .noContent)
        if case .none = cookie.shown(request.head.headers) { return response }
        response.headers[.setCookie] = cookie.removal
        return response
    }
}
