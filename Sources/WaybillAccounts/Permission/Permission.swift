/// What somebody wants to do.
package enum Action: String, CaseIterable, Sendable {
    /// Records of pushes and what is counted of them, of the clients in the key's scope.
    case readDeliveries
    /// Device tokens whole, in what is read.
    case readTokens
    /// Asking by a device token.
    case lookUpToken
    /// The state of the installation.
    case readStatus
    /// Pausing, draining and opening lanes.
    case orderLanes
    /// Deciding about invalid-token events that are held: to carry them out, or to forget them.
    case decideFuses
    /// Sending nothing more of a batch, of the clients in the key's scope.
    case cancelBatches
    /// Campaigns of the clients in the key's scope, and how many devices they mean.
    case readCampaigns
    /// Preparing, trying, starting, holding and ending campaigns of the clients in the key's scope.
    case sendCampaigns
    /// Messages that were rejected, device tokens in them shortened.
    case readRejected
    /// Giving rejected messages back to the dispatchers.
    case replayRejected
    /// Taking rejected messages away for good.
    case dropRejected
}

/// Whether somebody may do something.
package enum Permission: Hashable, Sendable {
    case granted
    /// Only this role, and those above it, may.
    case needs(Role)
    /// It is about the whole installation, and the key is for some clients.
    case needsAllClients

    /// Decides: the one place that does.
    ///
    /// - Parameters:
    ///   - action: what is wanted.
    ///   - role: the key's.
    ///   - clients: the key's.
    /// - Returns: the answer; of what is read, the scope decides record by record (`DeliveryScope`).
    package static func of(_ action: Action, role: Role, clients: ClientScope) -> Self {
        let least = leastRole(for: action)
        guard role >= least else { return .needs(least) }
        guard clients == .all || !isAboutInstallation(action) else { return .needsAllClients }
        return .granted
    }

    private static func leastRole(for action: Action) -> Role {
        switch action {
        case .readDeliveries, .readStatus, .readRejected, .readCampaigns: .reader
        case .readTokens, .lookUpToken: .investigator
        case .orderLanes, .decideFuses, .cancelBatches, .replayRejected, .sendCampaigns: .operator
        case .dropRejected: .steward
        }
    }

    private static func isAboutInstallation(_ action: Action) -> Bool {
        switch action {
        case .readDeliveries, .readTokens, .lookUpToken, .cancelBatches, .readCampaigns, .sendCampaigns: false
        case .readStatus, .orderLanes, .decideFuses, .readRejected, .replayRejected, .dropRejected: true
        }
    }
}
