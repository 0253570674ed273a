import WaybillAPNS
package import WaybillCore
package import WaybillTLS

/// One way to APNs: an app, an environment and the credentials for them.
package struct LaneSettings: Sendable {
    /// How the lane proves to APNs who is sending.
    ///
    /// Paths are ready to open.
    package enum Credentials: Hashable, Sendable {
        case token(teamID: String, keyID: String, keyFile: String)
        case certificate(TLSIdentity)
    }

    /// What messages call the lane.
    package var name: String
    package var environment: Environment
    package var bundleID: String
    package var credentials: Credentials
    /// The limit on the age of notifications that neither the message nor its client sets; `nil` for none.
    package var maxAge: Duration?
    /// The collapse id of alerts that name none.
    package var collapse: CollapseRule
    /// The most connections the lane may hold.
    package var connections: Int
    /// Only for a simulator or a relay; `nil` means the environment's own.
    package var endpoint: LaneEndpoint?
    /// PEM file with the authorities for the endpoint; `nil` means the system's.
    package var trustFile: String?

    package init(
        name: String,
        environment: Environment,
        bundleID: String,
        credentials: Credentials,
        maxAge: Duration? = nil,
        collapse: CollapseRule = .content,
        connections: Int = 2,
        endpoint: LaneEndpoint? = nil,
        trustFile: String? = nil
    ) {
        self.name = name
        self.environment = environment
        self.bundleID = bundleID
        self.credentials = credentials
        self.maxAge = maxAge
        self.collapse = collapse
        self.connections = connections
        self.endpoint = endpoint
        self.trustFile = trustFile
    }

    /// What decoding, sending and recording need to know.
    package var lane: Lane {
        Lane(
            name: name,
            environment: environment,
            bundleID: bundleID,
            maxAge: maxAge.map { Int($0.components.seconds) },
            collapse: collapse
        )
    }

    /// Where the lane's requests go.
    package var effectiveEndpoint: LaneEndpoint {
        if let endpoint { return endpoint }
        return switch environment {
        case .production: LaneEndpoint(.production)
        case .sandbox: LaneEndpoint(.sandbox)
        }
    }

    /// The file with the lane's key, which nobody but its owner may read; `nil` where it has none.
    package var keyFile: String? {
        switch credentials {
        case .token(_, _, let keyFile): keyFile
        case .certificate: nil
        }
    }

    /// Who may vouch for the endpoint.
    package var trust: TLSTrust { trustFile.map { .file($0) } ?? .system }
}
