import HTTPTypes
import Hummingbird

/// Whether a browser sends a request for this server's own page: a cookie travels whoever has made the browser ask.
struct OriginCheck: Sendable {
    /// Whether the browser speaks TLS, with this server or with the proxy in front.
    let isProtected: Bool

    /// Looks at a request that shows a cookie.
    ///
    /// `Sec-Fetch-Site` decides, which no page can set. Browsers that do not know it send `Origin` with all but GET and HEAD.
    ///
    /// - Parameters:
    ///   - request: which.
    ///   - otherwise: what others than a page do, in words.
    /// - Throws: ``Problem`` 403 for one that another site's page has sent, or that may be.
    func require(_ request: Request, otherwise: String) throws(Problem) {
        let foreign = Problem(
            .forbidden,
            "with the cookie this is for the page of this server alone, as Sec-Fetch-Site or Origin says; \(otherwise)"
        )
        let isSafe = request.method == .get || request.method == .head
        let sites = request.headers[values: .fetchSite]
        if !sites.isEmpty {
            // `none`: somebody has typed the address.
            guard sites == ["same-origin"] || isSafe && sites == ["none"] else { throw foreign }
        } else if !isSafe {
            guard isOwn(request.headers[values: .origin], request) else { throw foreign }
        }
    }

    /// Refuses what says of itself that another site's page has sent it; programs say nothing.
    func refuseForeign(_ request: Request) throws(Problem) {
        let sites = request.headers[values: .fetchSite]
        let origins = request.headers[values: .origin]
        guard sites.isEmpty ? origins.isEmpty || isOwn(origins, request) : sites == ["same-origin"] else {
            throw Problem(.forbidden, "a page of another site may not ask this; a program sends no Origin")
        }
    }

    private func isOwn(_ origins: [String], _ request: Request) -> Bool {
        guard origins.count == 1, let host = request.head.authority, !host.isEmpty else { return false }
        return origins[0].lowercased() == "\(isProtected ? "https" : "http")://\(host)".lowercased()
    }
}

extension HTTPField.Name {
    fileprivate static let fetchSite = Self("Sec-Fetch-Site")!
}
