import WaybillEncoding
import WaybillTLS

/// Judges a request to the token endpoint (Google's "Using OAuth 2.0 for Server to Server Applications"); pure.
package struct FCMAssertionCheck: Sendable {
    /// Why no access token is sold.
    package struct Refusal: Error, Hashable, Sendable {
        package let error: String
        package let description: String

        static func grant(_ description: String) -> Refusal {
            Refusal(error: "invalid_grant", description: description)
        }

        static let clock = grant(
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                + "Check your iat and exp values in the JWT claim."
        )
        static let signature = grant("Invalid JWT Signature.")
    }

    /// What an assertion has bought.
    package struct Grant: Hashable, Sendable {
        package let scopes: Set<String>
        package let projects: Set<String>
    }

    /// What a token must have to send.
    package static let sendingScopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let longestLife: Int64 = 3600

    private let accounts: [FCMAccount]
    private let tolerance: Int64

    package init(_ simulation: FCMSimulation) {
        accounts = simulation.accounts
        tolerance = simulation.clockTolerance
    }

    /// Judges a form.
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - endpoint: the URL that it was posted to, which `aud` must name; Google's own will do as well.
    ///   - now: seconds since 1970.
    /// - Returns: what is granted.
    /// - Throws: the refusal.
    package func judge(form: [UInt8], endpoint: String, at now: Int64) throws(Refusal) -> Grant {
        let fields = Self.fields(String(decoding: form, as: UTF8.self))
        guard fields["grant_type"] == Self.grantType else {
            throw Refusal(error: "unsupported_grant_type", description: "Invalid grant_type")
        }
        guard let assertion = fields["assertion"] else {
            throw Refusal(error: "invalid_request", description: "Missing required parameter: assertion")
        }
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .grant("Invalid JWT: Failed base64 or JSON decode.") }
        guard case .string("RS256") = header["alg"], case .string("JWT") = header["typ"] else {
            throw .grant("Invalid JWT: alg must be RS256 and typ JWT.")
        }
        guard case .string(let issuer) = claims["iss"],
            let account = accounts.first(where: { $0.clientEmail == issuer })
        else { throw .grant("Invalid grant: account not found") }
        guard case .string(let keyID) = header["kid"], keyID == account.keyID,
            account.publicKey.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw .signature }
        guard case .string(let audience) = claims["aud"],
            audience == endpoint || audience == "https://oauth2.googleapis.com/token"
        else { throw .grant("Invalid JWT: Failed audience check.") }
        try judgeClock(claims, at: now)
        guard case .string(let scope) = claims["scope"], !scope.isEmpty else {
            throw Refusal(error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
        }
        let scopes = Set(scope.split(separator: " ").map(String.init))
        guard scopes.allSatisfy({ $0.hasPrefix("https://www.googleapis.com/auth/") }) else {
            throw Refusal(error: "invalid_scope", description: "Bad Request")
        }
        return Grant(scopes: scopes, projects: account.projects)
    }

    private func judgeClock(_ claims: JSONValue, at now: Int64) throws(Refusal) {
        guard case .integer(let issued) = claims["iat"], case .integer(let end) = claims["exp"],
            (0...Int64(1 << 40)).contains(issued), (issued...issued + Self.longestLife).contains(end),
            issued <= now + tolerance, end >= now - tolerance
        else { throw .clock }
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONParser.parse(bytes), case .object = value else {
            return nil
        }
        return value
    }

    private static func fields(_ form: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in form.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]) else { continue }
            fields[String(parts[0])] = value
        }
        return fields
    }
}
