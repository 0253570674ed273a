import WaybillEncoding
import WaybillTLS

/// Makes tokens: JSON Web Tokens, signed with HMAC and SHA-256 (RFC 7515, 7518, 7519).
package struct TokenSigner: Sendable {
    private let keys: TokenKeys
    private let issuer: String

    /// - Parameters:
    ///   - keys: to sign with.
    ///   - issuer: the claim `iss`, the address of this installation.
    package init(keys: TokenKeys, issuer: String) {
        self.keys = keys
        self.issuer = issuer
    }

    /// Makes a token.
    package func token(_ kind: TokenKind, _ claims: TokenClaims) -> String {
        let (id, key) = keys.signing(kind)
        var header = JSONWriter(capacity: 64)
        header.beginObject()
        header.member("alg", "HS256")
        header.member("typ", kind.type)
        header.member("kid", id)
        header.endObject()
        var payload = JSONWriter()
        payload.beginObject()
        payload.member("iss", issuer)
        payload.member("aud", kind.audience)
        payload.member("sub", claims.subject)
        payload.member("iat", claims.issuedAt)
        payload.member("exp", claims.expiresAt)
        payload.member("jti", claims.id)
        payload.member("sid", claims.login)
        payload.member("username", claims.username)
        payload.member("userstring", claims.passwordMark)
        payload.endObject()
        return Self.signed(header: header.bytes, payload: payload.bytes, key: key)
    }

    /// The compact form (RFC 7515, 7.1).
    static func signed(header: [UInt8], payload: [UInt8], key: [UInt8]) -> String {
        let text = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let code = HMACSHA256.authenticate(Array(text.utf8), key: key).withUnsafeBytes(Array.init)
        return "\(text).\(Base64URL.encode(code))"
    }
}
