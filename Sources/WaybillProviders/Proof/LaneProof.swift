/// What the answer to one push shows of a lane, the push being for a device that cannot exist.
package struct LaneProof: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// The provider has refused the device alone.
        case proven
        /// It has refused the lane: its key, its certificate, its topic.
        case refused
        /// It has said something that shows neither.
        case open
        /// There was no answer.
        case unreachable
    }

    package let verdict: Verdict
    /// What came, what it shows and what it cannot, for a person.
    package let text: String

    package init(_ verdict: Verdict, _ text: String) {
        self.verdict = verdict
        self.text = text
    }
}

extension LaneSettings {
    /// Sends one push to an impossible device, on a connection of its own, and waits for the answer.
    ///
    /// - Parameters:
    ///   - key: what stands in the lane's key file; `nil` where it has none.
    ///   - patience: the longest that connecting may take, and again the answer.
    /// - Returns: what the answer shows.
    package func prove(key: [UInt8]?, patience: Duration = .seconds(10)) async -> LaneProof {
        let setup = LaneSetup(settings: self, connections: 1, key: key)
        let patience = SendPatience(request: patience, unreachable: patience)
        switch provider {
        case .apns(let settings): return await APNSProof.run(setup, settings, patience)
        case .fcm(let settings): return await FCMProof.run(setup, settings, patience)
        }
    }
}
