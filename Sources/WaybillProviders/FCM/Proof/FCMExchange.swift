import WaybillFCM
import WaybillPushTransport

extension LaneSettings {
    /// Buys what the lane's requests show, where that is bought: an access token at Google's token endpoint.
    ///
    /// Nothing is sent to the push service itself.
    ///
    /// - Parameter key: what stands in the lane's key file; `nil` where it has none.
    /// - Returns: what was seen, or why there is none; `nil` where nothing is bought.
    package func tryExchange(key: [UInt8]?) async -> LaneProof? {
        switch provider {
        case .apns: return nil
        case .fcm:
            do {
                var credentials = FCMLaneCredentials()
                let source = try credentials.make(LaneSetup(settings: self, connections: 1, key: key))
                if let problem = await source.tryExchange() {
                    return LaneProof(without: problem)
                }
                return LaneProof(.proven, "the token endpoint sells access tokens for \(source.account)")
            } catch {
                return LaneProof(.refused, "\(error)")
            }
        }
    }
}

extension LaneProof {
    /// What it shows that there is no access token.
    ///
    /// Only what the configuration or this machine must change is a refusal; an endpoint that is away, or has no token to
    /// sell for the moment, has said nothing of the lane.
    init(without problem: AccessTokenMachine.Problem) {
        let verdict: Verdict =
            switch problem.kind {
            case .key, .clock: .refused
            case .network, .certificate, .token: .unreachable
            }
        self.init(verdict, "no access token: \(problem.text)")
    }
}
