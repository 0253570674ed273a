import WaybillEncoding
package import WaybillTLS

/// A throw-away provider key for tests: both halves, and tokens made with it.
package struct SimulatorCredentials: Sendable {
    package let keyID: String
    package let teamID: String
    /// The half that a provider keeps in its `.p8` file.
    package let privateKey: ES256PrivateKey

    /// Makes a new key pair.
    package static func generate(
        keyID: String = "ABC123DEFG",
        teamID: String = "ABCDE12345"
    ) throws(TLSError) -> SimulatorCredentials {
        SimulatorCredentials(keyID: keyID, teamID: teamID, privateKey: try ES256PrivateKey.generate())
    }

    package init(keyID: String, teamID: String, privateKey: ES256PrivateKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.privateKey = privateKey
    }

    /// The half that the simulator needs.
    package var key: SimulatorKey {
        SimulatorKey(keyID: keyID, teamID: teamID, publicKey: privateKey.publicKey)
    }

    /// A signed provider token.
    ///
    /// - Parameter issuedAt: seconds since 1970.
    /// - Returns: the JWT, without `bearer`.
    /// - Throws: when OpenSSL fails.
    package func providerToken(issuedAt: Int64) throws(TLSError) -> String {
        try providerToken(
            header: #"{"alg":"ES256","kid":"\#(keyID)"}"#,
            claims: #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        )
    }

    /// A signed token with any header and claims, also wrong ones.
    package func providerToken(header: String, claims: String) throws(TLSError) -> String {
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return text + "." + Base64URL.encode(try privateKey.sign(Array(text.utf8)))
    }
}
