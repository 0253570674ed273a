package import TLS
package import Threads

/// The provider tokens of one key: one string, shared by every connection and every client that sends with the key.
///
/// Make one for each key and hand it to all clients that use it: Apple counts the tokens of a key, and refuses requests
/// when they change more than once in 20 minutes. A token is renewed after 50 minutes and never sent after 60 (Apple,
/// "Establishing a token-based connection to APNs"). Safe to share between threads.
public final class APNSProviderTokenSource: Sendable {
    private enum Signing {
        /// Signs at once.
        case key(ES256PrivateKey)
        /// May block, and has a thread for that.
        case signer(any APNSSigner)
    }

    private struct State {
        var desk = TokenDesk()
        /// Whoever waits for the mint under way.
        var waiting: [@Sendable () -> Void] = []
    }

    private let teamID: String
    private let keyID: String
    private let writer: ProviderTokenWriter
    private let signing: Signing
    private let state = Guarded(State())

    private init(teamID: String, keyID: String, _ signing: Signing) throws(APNSSetupError) {
        writer = try ProviderTokenWriter(teamID: teamID, keyID: keyID)
        self.teamID = teamID
        self.keyID = keyID
        self.signing = signing
    }

    /// Creates a source from a key's `.p8` file, which is read now.
    ///
    /// - Parameters:
    ///   - teamID: The team's id, letters and digits, ten of them at Apple.
    ///   - keyID: The key's id, likewise.
    ///   - keyFile: The path of the file that Apple issued; at most 64 KiB.
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when an id is not of that form, or the file
    ///   cannot be read or holds no unencrypted P-256 key.
    public convenience init(teamID: String, keyID: String, keyFile: String) throws(APNSSetupError) {
        try self.init(teamID: teamID, keyID: keyID, keyPEM: try CredentialFile.read(keyFile))
    }

    /// Creates a source from the contents of a key's `.p8` file.
    ///
    /// - Parameters:
    ///   - teamID: The team's id, letters and digits, ten of them at Apple.
    ///   - keyID: The key's id, likewise.
    ///   - keyPEM: The key in PEM form.
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when an id is not of that form, or the bytes
    ///   hold no unencrypted P-256 key.
    public convenience init(teamID: String, keyID: String, keyPEM: [UInt8]) throws(APNSSetupError) {
        let key: ES256PrivateKey
        do {
            key = try ES256PrivateKey(pem: keyPEM)
        } catch {
            throw APNSSetupError(.credentials, "key \(keyID): \(error)")
        }
        try self.init(teamID: teamID, keyID: keyID, key: key)
    }

    /// Creates a source whose tokens somebody else signs; nothing is asked of the signer yet.
    ///
    /// - Parameters:
    ///   - teamID: The team's id, letters and digits, ten of them at Apple.
    ///   - keyID: The key's id, likewise.
    ///   - signer: Holds the key, or knows who does.
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when an id is not of that form.
    public convenience init(teamID: String, keyID: String, signer: any APNSSigner) throws(APNSSetupError) {
        try self.init(teamID: teamID, keyID: keyID, .signer(signer))
    }

    /// Creates a source; nothing is minted yet.
    package convenience init(teamID: String, keyID: String, key: ES256PrivateKey) throws(APNSSetupError) {
        try self.init(teamID: teamID, keyID: keyID, .key(key))
    }

    // MARK: Tokens

    /// The token to send now.
    ///
    /// That is the last one as long as it is good, also while its successor is being minted; a key of our own mints here.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when the mint has ended, well or badly; only if the answer is `nil`.
    /// - Returns: the token; `nil` while the first one, or one in place of a token that APNs refused, is being minted.
    /// - Throws: ``APNSSetupError`` when there is none and minting has failed, or is not allowed yet; ``retryTime`` says
    ///   when to ask again.
    package func current(
        at now: APNSInstant,
        whenReady: @escaping @Sendable () -> Void
    ) throws(APNSSetupError) -> APNSProviderToken? {
        try state.withLock { state throws(APNSSetupError) in
            while true {
                switch state.desk.next(at: now) {
                case .use(let token): return token
                case .mint: mint(&state.desk, at: now)
                case .none(let error): throw error
                case .wait:
                    state.waiting.append(whenReady)
                    return nil
                }
            }
        }
    }

    /// APNs said ExpiredProviderToken to the token with this serial.
    ///
    /// - Parameters:
    ///   - serial: the refused token's.
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when the mint under way has ended; not called when there is none.
    /// - Returns: whether a newer token is at hand or being minted.
    package func refused(serial: Int, at now: APNSInstant, whenReady: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            while true {
                switch state.desk.refused(serial: serial, at: now) {
                case .use: return true
                case .mint: mint(&state.desk, at: now)
                case .none: return false
                case .wait:
                    state.waiting.append(whenReady)
                    return true
                }
            }
        }
    }

    /// APNs said TooManyProviderTokenUpdates: no new token for the next 20 minutes.
    package func holdMinting(at now: APNSInstant) {
        state.withLock { $0.desk.hold(at: now) }
    }

    /// When minting is worth another attempt, after ``current(at:whenReady:)`` has thrown.
    package var retryTime: MonotonicTime? { state.withLock { $0.desk.earliestMint } }

    /// Why the last mint failed, also while the token before is still good; `nil` when it did not.
    package var lastFailure: APNSSetupError? { state.withLock { $0.desk.lastFailure } }

    // MARK: Minting

    private func mint(_ desk: inout TokenDesk, at now: APNSInstant) {
        desk.began(at: now)
        let unsigned = writer.unsigned(issuedAt: now.unixSeconds)
        switch signing {
        case .key(let key):
            desk.ended(authorization(unsigned) { try key.sign(unsigned) })
        case .signer(let signer):
            do {
                _ = try NamedThread.start(name: "wb-signer") {
                    self.ended(self.authorization(unsigned) { try signer.signature(for: unsigned) })
                }
            } catch {
                desk.ended(.failure(APNSSetupError(.system, "key \(keyID) cannot sign: \(error)")))
            }
        }
    }

    private func authorization(
        _ unsigned: [UInt8],
        _ sign: () throws -> [UInt8]
    ) -> Result<[UInt8], APNSSetupError> {
        do {
            return .success(try ProviderTokenWriter.authorization(unsigned, signature: sign()).get())
        } catch {
            return .failure(APNSSetupError(.credentials, "key \(keyID) cannot sign: \(error)"))
        }
    }

    private func ended(_ result: Result<[UInt8], APNSSetupError>) {
        let waiting = state.withLock { state in
            state.desk.ended(result)
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for whenReady in waiting { whenReady() }
    }
}

extension APNSProviderTokenSource: CustomStringConvertible, CustomReflectable {
    /// The ids of the key and the team.
    public var description: String { "key \(keyID) of team \(teamID)" }

    /// Shows what ``description`` does, and nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
