package import WaybillPushTransport
package import WaybillTLS
package import WaybillThreads

/// The provider tokens of one key: one string, shared by every connection and every client that sends with the key.
///
/// Make one for each key and hand it to all clients that use it: Apple counts the tokens of a key, and refuses requests
/// when they change more than once in 20 minutes. A token is renewed after 24 to 48 minutes and never sent after 60 (Apple,
/// "Establishing a token-based connection to APNs"). One that APNs refused as expired, or as changed too often, rests for
/// two seconds and is then used once more, on a new connection: a single refusal may be the connection's fault. Refused
/// again, it is never sent again: until there is another one, requests wait. Safe to share between threads.
///
/// Tokens are dated on a grid of 24 minutes and signed deterministically (RFC 6979): processes and hosts that have the
/// same key make the same token, so that starts in a row and fleets are no changes to APNs. Only an ``APNSSigner`` may
/// sign otherwise; its tokens are dated likewise.
public final class APNSProviderTokenSource: Sendable {
    private enum Signing {
        /// Signs at once.
        case key(ES256PrivateKey)
        /// May block, and has a thread for that.
        case signer(any APNSSigner)
    }

    private struct State {
        var machine = TokenMachine()
        /// Whoever waits for the mint under way.
        var waiting: [@Sendable () -> Void] = []
    }

    /// Tells the source from that of another key; `nil` when somebody else signs.
    package let identity: ProviderKeyIdentity?
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
        if case .key(let key) = signing {
            identity = ProviderKeyIdentity(teamID: teamID, keyID: keyID, publicKey: key.publicKey.digest)
        } else {
            identity = nil
        }
    }

    /// Creates a source from a key's `.p8` file, which is read now.
    ///
    /// - Parameters:
    ///   - teamID: The team's id, ten letters and digits.
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
    ///   - teamID: The team's id, ten letters and digits.
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
    ///   - teamID: The team's id, ten letters and digits.
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
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) throws(APNSSetupError) -> APNSProviderToken? {
        try state.withLock { state throws(APNSSetupError) in
            while true {
                switch state.machine.next(at: now) {
                case .use(let token): return token
                case .mint: mint(&state.machine, at: now)
                case .none(let error): throw error
                case .wait:
                    state.waiting.append(whenReady)
                    return nil
                }
            }
        }
    }

    /// APNs refused the token with this serial, which is not handed out for now (see ``TokenDoubt``).
    ///
    /// - Parameters:
    ///   - serial: the refused token's.
    ///   - refusal: why; after ``TokenRefusal/throttled`` no new token is made for the next 20 minutes.
    ///   - sentAt: when the request went out.
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when the mint under way has ended; not called when there is none.
    /// - Returns: what the request can hope for.
    package func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        sentAt: MonotonicTime,
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) -> TokenProspect {
        state.withLock { state in
            while true {
                switch state.machine.refused(serial: serial, refusal, sentAt: sentAt, at: now) {
                case .mint: mint(&state.machine, at: now)
                case .done(let prospect): return prospect
                case .wait:
                    state.waiting.append(whenReady)
                    return .successor
                }
            }
        }
    }

    /// APNs took a request with the token of this serial, the first on its connection.
    package func accepted(serial: Int, at now: ClockReading) {
        state.withLock { $0.machine.accepted(serial: serial, at: now) }
    }

    /// When it is worth asking again, after ``current(at:whenReady:)`` has thrown.
    package var retryTime: MonotonicTime? { state.withLock { $0.machine.retryTime } }

    /// Why the last mint failed, also while the token before is still good; `nil` when it did not.
    package var lastFailure: APNSSetupError? { state.withLock { $0.machine.lastFailure } }

    // MARK: Minting

    private func mint(_ machine: inout TokenMachine, at now: ClockReading) {
        let unsigned = writer.unsigned(issuedAt: machine.began(at: now).issuedAt)
        switch signing {
        case .key(let key):
            machine.ended(authorization(unsigned) { try key.sign(unsigned) })
        case .signer(let signer):
            do {
                _ = try NamedThread.start(name: "wb-signer") {
                    self.ended(self.authorization(unsigned) { try signer.signature(for: unsigned) })
                }
            } catch {
                machine.ended(.failure(APNSSetupError(.system, "key \(keyID) cannot sign: \(error)")))
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
            state.machine.ended(result)
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
