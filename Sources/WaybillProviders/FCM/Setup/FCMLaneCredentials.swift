import WaybillFCM

/// Makes the credentials of lanes to FCM from their key files.
///
/// Lanes with the same key and the same endpoint, from whatever file, share one source of access tokens. What the files call the key
/// is not enough: a copy of one that buys elsewhere would be sent the other's tokens.
struct FCMLaneCredentials {
    private struct Identity: Hashable {
        let account: String
        let trust: FCMTrust
    }

    private var sources: [Identity: FCMAccessTokenSource] = [:]

    /// The access tokens of one lane.
    ///
    /// - Parameter setup: the lane, with what stands in its key file.
    /// - Returns: where they come from.
    /// - Throws: `FCMSetupError` naming what is wrong with the key.
    mutating func make(_ setup: LaneSetup) throws(FCMSetupError) -> FCMAccessTokenSource {
        let account = try Self.account(setup)
        let trust = setup.settings.tokenTrust(of: account)
        let identity = Identity(account: account.fingerprint, trust: trust)
        if let shared = sources[identity] { return shared }
        let source = try FCMAccessTokenSource(account, trust: trust)
        sources[identity] = source
        return source
    }

    /// The service account of a lane.
    static func account(_ setup: LaneSetup) throws(FCMSetupError) -> FCMServiceAccount {
        do throws(FCMSetupError) {
            return try FCMServiceAccount(json: setup.key ?? [])
        } catch {
            throw FCMSetupError(
                "lane \(setup.settings.name): \(setup.settings.provider.keyFile ?? "the key"): \(error.text)"
            )
        }
    }
}

extension LaneSettings {
    /// Who may vouch for FCM.
    var fcmTrust: FCMTrust { trustFile.map { .file($0) } ?? .system }

    /// Who may vouch for the endpoint where access tokens are bought: the same, unless that is Google's own, which a file for a
    /// simulator or a relay does not know.
    func tokenTrust(of account: FCMServiceAccount) -> FCMTrust {
        account.buysFromGoogle ? .system : fcmTrust
    }
}
