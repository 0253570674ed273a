import WaybillAPNS

extension APNSConfiguration {
    /// A lane to APNs as its client takes it.
    init(_ setup: LaneSetup, bundleID: String, credentials: APNSCredentials, _ patience: SendPatience) {
        let lane = setup.settings
        self.init(
            endpoint: APNSEndpoint(host: lane.effectiveEndpoint.host, port: lane.effectiveEndpoint.port),
            credentials: credentials
        )
        name = lane.name
        trust = lane.trustFile.map(APNSTrust.file) ?? .system
        tokenBundleID = bundleID
        connections = setup.connections
        deadlines.request = patience.request
        deadlines.unreachable = patience.unreachable
    }
}
