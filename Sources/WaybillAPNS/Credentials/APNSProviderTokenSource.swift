import Synchronization
package import TLS

/// The provider tokens of one key: one string, shared by every connection and driver that sends with the key.
///
/// Any thread may ask; minting happens under the lock, so two callers never mint twice.
public final class APNSProviderTokenSource: Sendable {
    private struct State {
        var rule = MintingRule()
        var token: APNSProviderToken?
    }

    private let teamID: String
    private let keyID: String
    private let key: ES256PrivateKey
    private let state = Mutex(State())

    /// Creates a source; nothing is minted yet.
    ///
    /// - Parameters:
    ///   - teamID: the team's id, letters and digits, ten of them at Apple.
    ///   - keyID: the key's id, likewise.
    ///   - key: the key that Apple issued.
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when an id is not of that form.
    package init(teamID: String, keyID: String, key: ES256PrivateKey) throws(APNSSetupError) {
        for (name, id) in [("team", teamID), ("key", keyID)] where !Self.isIdentifier(id) {
            throw APNSSetupError(.credentials, "the \(name) id must be 1 to 32 letters and digits")
        }
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// Creates a source from the contents of a `.p8` file.
    ///
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when it holds no P-256 key.
    package convenience init(teamID: String, keyID: String, keyPEM: [UInt8]) throws(APNSSetupError) {
        let key: ES256PrivateKey
        do {
            key = try ES256PrivateKey(pem: keyPEM)
        } catch {
            throw APNSSetupError(.credentials, "key \(keyID): \(error)")
        }
        try self.init(teamID: teamID, keyID: keyID, key: key)
    }

    /// The token to send now: the last one, or a new one when that is old and minting is allowed.
    ///
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when there is no token and the key cannot
    ///   sign one.
    package func current(at now: APNSInstant) throws(APNSSetupError) -> APNSProviderToken {
        try state.withLock { state throws(APNSSetupError) in
            if let token = state.token, !state.rule.shouldMint(at: now) { return token }
            return try mint(&state, at: now)
        }
    }

    /// APNs said ExpiredProviderToken to a token: the one to go on with, or `nil` when the rule forbids a new one.
    package func refused(_ token: APNSProviderToken, at now: APNSInstant) -> APNSProviderToken? {
        refused(serial: token.serial, at: now)
    }

    /// APNs said ExpiredProviderToken to the token with this serial.
    func refused(serial: Int, at now: APNSInstant) -> APNSProviderToken? {
        state.withLock { state in
            if let newest = state.token, newest.serial > serial { return newest }
            guard state.rule.mayMint(at: now) else { return nil }
            return try? mint(&state, at: now)
        }
    }

    /// APNs said TooManyProviderTokenUpdates: nothing is minted for the next 20 minutes.
    package func holdMinting(at now: APNSInstant) {
        state.withLock { $0.rule.hold(at: now) }
    }

    private func mint(_ state: inout State, at now: APNSInstant) throws(APNSSetupError) -> APNSProviderToken {
        let authorization: [UInt8]
        do {
            authorization = try ProviderTokenWriter.authorization(
                teamID: teamID,
                keyID: keyID,
                issuedAt: now.unixSeconds,
                key: key
            )
        } catch {
            throw APNSSetupError(.credentials, "key \(keyID) cannot sign: \(error)")
        }
        let token = APNSProviderToken(
            serial: (state.token?.serial ?? 0) + 1,
            authorization: authorization,
            mintedAt: now
        )
        state.rule.minted(at: now)
        state.token = token
        return token
    }

    /// The ids go into JSON unescaped.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
