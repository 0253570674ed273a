import WaybillFCM

/// The code of "Test against the simulator".
enum RehearsalSamples {
    static func configuration(folder: String, port: UInt16) throws -> FCMConfiguration {
        let trust = FCMTrust.file("\(folder)/ca.pem")
        let account = try FCMServiceAccount(file: "\(folder)/service-account.json")
        var configuration = FCMConfiguration(try FCMAccessTokenSource(account, trust: trust))
        configuration.host = "localhost"
        configuration.port = port
        configuration.trust = trust
        return configuration
    }

    static func deadToken(client: FCMClient, registrationToken: String) async throws -> FCMResponse {
        let response = try await client.send(FCMMessage(to: .token("dead" + registrationToken), FCMContent()))
        // response.errorCode == .unregistered, response.action == .removeToken
        return response
    }
}
