import TLS

/// One provider token, ready to be sent; the connections of a key share it.
package struct APNSProviderToken: Sendable {
    /// Counts the tokens of a source, so that two can be told apart at no cost.
    package let serial: Int
    /// The value of `authorization`, the word `bearer` and the JWT; never logged.
    package let authorization: [UInt8]
    /// When it was minted.
    package let mintedAt: APNSInstant
}

/// Writes the JWT that APNs asks for: ES256, `kid`, `iss` and a numeric `iat`.
///
/// Source: Apple, "Establishing a token-based connection to APNs"; RFC 7515, RFC 7519.
enum ProviderTokenWriter {
    /// - Throws: ``TLSError`` when the key cannot sign.
    static func authorization(
        teamID: String,
        keyID: String,
        issuedAt: Int64,
        key: ES256PrivateKey
    ) throws(TLSError) -> [UInt8] {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        let claims = Base64URL.encode(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8))
        let signed = "\(header).\(claims)"
        let signature = Base64URL.encode(try key.sign(Array(signed.utf8)))
        return Array("bearer \(signed).\(signature)".utf8)
    }
}
