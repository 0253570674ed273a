import WaybillAPNS

/// The programs of the landing page and of "Send your first notification".
///
/// Compiled here; `scripts/example.sh` takes the second one out of the article, builds it as an outsider would, and runs
/// it against the simulator.
enum FirstNotificationSamples {
    static func landingPage(deviceToken: String) async throws {
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: "AuthKey.p8")
        let client = try APNSClient(
            APNSConfiguration(endpoint: .sandbox, credentials: .token(source), bundleID: "com.example.parcels")
        )
        let notification = try APNSNotification(to: deviceToken, .alert(title: "Parcel 7", body: "It is at your door"))
        let response = try await client.send(notification)
        print(response.isAccepted ? "accepted" : "refused: \(response)")
        await client.close()
    }

    static func firstNotification() async throws {
        // The key that signs provider tokens. One source for each key, shared by all clients.
        let source = try APNSProviderTokenSource(
            teamID: "ABCDE12345",
            keyID: "ABC123DEFG",
            keyFile: "credentials/AuthKey_ABC123DEFG.p8"
        )

        // Where to send, and for which app. This leads to the simulator on this machine.
        var configuration = APNSConfiguration(
            endpoint: APNSEndpoint(host: "localhost", port: 8443),
            credentials: .token(source),
            bundleID: "com.example.parcels"
        )
        configuration.trust = .file("credentials/ca.pem")

        // One client for the whole life of the program.
        let client = try APNSClient(configuration)
        let deviceToken = String(repeating: "a1b2c3d4", count: 8)

        // Typed: the library writes the JSON and checks it.
        let typed = try APNSNotification(
            to: deviceToken,
            .alert(title: "Parcel 7", body: "It is at your door", sound: .default)
        )

        // Opaque: the JSON is yours, and goes out byte for byte.
        let opaque = APNSNotification(
            to: deviceToken,
            payload: Array(#"{"aps":{"alert":"Parcel 7 is at your door"},"parcel":7}"#.utf8),
            pushType: .alert
        )

        for notification in [typed, opaque] {
            do {
                let response = try await client.send(notification)
                if response.isAccepted {
                    print("\(response.apnsID): accepted")
                } else {
                    print("\(response.apnsID): refused, \(response.status) \(response.reason?.rawValue ?? "")")
                }
            } catch {
                print("no answer: \(error)")
            }
        }
        await client.close()
    }

    static func apple(source: APNSProviderTokenSource) -> APNSConfiguration {
        let configuration = APNSConfiguration(
            endpoint: .sandbox,
            credentials: .token(source),
            bundleID: "com.example.parcels"
        )
        return configuration
    }
}
