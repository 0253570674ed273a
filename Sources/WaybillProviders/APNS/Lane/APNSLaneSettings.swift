import WaybillAPNS
import WaybillCore
package import WaybillTLS

/// What an operator sets of a lane to APNs: an app, an environment and the credentials for them.
package struct APNSLaneSettings: Hashable, Sendable {
    /// How the lane proves to APNs who is sending.
    ///
    /// Paths are ready to open.
    package enum Credentials: Hashable, Sendable {
        case token(teamID: String, keyID: String, keyFile: String)
        case certificate(TLSIdentity)
    }

    package var rules: APNSLane
    package var credentials: Credentials

    package init(rules: APNSLane, credentials: Credentials) {
        self.rules = rules
        self.credentials = credentials
    }

    var keyFile: String? {
        if case .token(_, _, let keyFile) = credentials { keyFile } else { nil }
    }

    var identity: TLSIdentity? {
        if case .certificate(let identity) = credentials { identity } else { nil }
    }
}

extension LaneEndpoint {
    /// Where APNs listens for an environment.
    init(_ environment: Environment) {
        switch environment {
        case .production: self.init(APNSEndpoint.production)
        case .sandbox: self.init(APNSEndpoint.sandbox)
        }
    }
}
