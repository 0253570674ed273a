import WaybillEncoding
package import WaybillTLS

/// Writes the form that buys an access token (RFC 7523 §2.1): a claim, signed afresh for each exchange.
package struct AssertionWriter: Sendable {
    /// The right to send messages.
    package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// A clock that is ahead of Google's is refused, so the claim is dated back a little, as Google's own libraries do.
    package static let backdating: Int64 = 10
    private static let life: Int64 = 3600

    private let account: FCMServiceAccount

    package init(_ account: FCMServiceAccount) {
        self.account = account
    }

    /// What is signed: header and claims.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: both in base64url, joined by a dot.
    package func unsigned(at now: Int64) -> [UInt8] {
        var header = JSONWriter(capacity: 128)
        header.beginObject()
        header.member("alg", "RS256")
        header.member("typ", "JWT")
        header.member("kid", account.keyID)
        header.endObject()
        let issued = now - Self.backdating
        var claims = JSONWriter(capacity: 256)
        claims.beginObject()
        claims.member("iss", account.clientEmail)
        claims.member("scope", Self.scope)
        claims.member("aud", account.tokenURI)
        claims.member("iat", issued)
        claims.member("exp", issued + Self.life)
        claims.endObject()
        return Array("\(Base64URL.encode(header.bytes)).\(Base64URL.encode(claims.bytes))".utf8)
    }

    /// The form.
    ///
    /// - Throws: `TLSError.library` when OpenSSL fails.
    package func form(at now: Int64) throws(TLSError) -> [UInt8] {
        let unsigned = unsigned(at: now)
        var form = Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=".utf8)
        form += unsigned
        form.append(UInt8(ascii: "."))
        form += Base64URL.encode(try account.key.sign(unsigned)).utf8
        return form
    }
}
