package import WaybillTLS

/// A provider's key as the simulator knows it: the public half of the `.p8` file, with its identifiers.
package struct SimulatorKey: Sendable {
    /// The 10-character key id, the token's `kid`.
    package let keyID: String
    /// The 10-character team id, the token's `iss`.
    package let teamID: String
    /// Checks the signatures.
    package let publicKey: ES256PublicKey

    package init(keyID: String, teamID: String, publicKey: ES256PublicKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKey = publicKey
    }

    /// Reads the public key from a PEM file.
    package init(keyID: String, teamID: String, publicKeyFile: String) throws(SimulatorError) {
        let pem = try TextFile.read(publicKeyFile)
        do {
            self.init(keyID: keyID, teamID: teamID, publicKey: try ES256PublicKey(pem: pem))
        } catch {
            throw SimulatorError("\(publicKeyFile): \(error)")
        }
    }
}

/// Which provider tokens the simulator takes.
package enum SimulatorAuthentication: Sendable {
    /// Tokens signed by one of these keys, for its team.
    case keys([SimulatorKey])
    /// Every well-formed token of the right age, whoever signed it.
    case anyToken
    /// No token is needed and none is read.
    case none
}
