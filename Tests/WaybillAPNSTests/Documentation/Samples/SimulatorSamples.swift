import WaybillAPNS

/// The code of "Test with the simulator".
enum SimulatorSamples {
    /// Leads to a simulator on this machine whose credentials lie in a folder.
    static func simulated(credentials folder: String, port: UInt16) throws -> APNSConfiguration {
        let source = try APNSProviderTokenSource(
            teamID: "ABCDE12345",
            keyID: "ABC123DEFG",
            keyFile: "\(folder)/AuthKey_ABC123DEFG.p8"
        )
        var configuration = APNSConfiguration(
            endpoint: APNSEndpoint(host: "localhost", port: port),
            credentials: .token(source),
            bundleID: "com.example.parcels"
        )
        configuration.trust = .file("\(folder)/ca.pem")
        return configuration
    }

    static func deadToken(client: APNSClient) async throws -> APNSResponse {
        let dead = "dead" + String(repeating: "0", count: 60)
        let response = try await client.send(try APNSNotification(to: dead, .alert("Are you there?")))
        // response.reason == .unregistered, response.invalidSince == 1_700_000_000_000
        return response
    }
}
