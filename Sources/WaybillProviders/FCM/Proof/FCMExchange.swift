import WaybillFCM

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
                    return LaneProof(.refused, "no access token: \(problem)")
                }
                return LaneProof(.proven, "the token endpoint sells access tokens for \(source.account)")
            } catch {
                return LaneProof(.refused, "\(error)")
            }
        }
    }
}
