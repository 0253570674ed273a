import WaybillFCM

/// The programs of the landing page and of "Send your first message".
///
/// Compiled here; `scripts/example.sh` takes the second one out of the article, builds it as an outsider would, and runs
/// it against the simulator.
enum FirstMessageSamples {
    static func landingPage(registrationToken: String) async throws {
        let account = try FCMServiceAccount(file: "service-account.json")
        let client = try FCMClient(FCMConfiguration(FCMAccessTokenSource(account)))
        let message = FCMMessage(to: .token(registrationToken), FCMContent(data: ["parcel": "7"], priority: .high))
        let response = try await client.send(message)
        print(response.isAccepted ? "accepted" : "refused: \(response)")
        await client.close()
    }

    static func firstMessage() async throws {
        // The key that buys access tokens. One source for each key, shared by all clients.
        let account = try FCMServiceAccount(file: "credentials/service-account.json")
        let trust = FCMTrust.file("credentials/ca.pem")
        let source = try FCMAccessTokenSource(account, trust: trust)

        // Where to send. This leads to the simulator on this machine.
        var configuration = FCMConfiguration(source)
        configuration.host = "localhost"
        configuration.port = 8444
        configuration.trust = trust

        // One client for the whole life of the program.
        let client = try FCMClient(configuration)
        let registrationToken = "cXyZ0123456789abcdefgh:APA91bEXAMPLE"

        // Typed: the library writes the JSON and checks it.
        let typed = FCMMessage(
            to: .token(registrationToken),
            FCMContent(data: ["title": "Parcel 7", "text": "It is at your door"], priority: .high)
        )

        // Ready: the JSON is yours, without the target, and goes out as it is.
        let ready = FCMMessage(
            to: .token(registrationToken),
            ready: Array(#"{"notification":{"title":"Parcel 7"},"android":{"priority":"HIGH"}}"#.utf8)
        )

        for message in [typed, ready] {
            do {
                let response = try await client.send(message)
                if response.isAccepted {
                    print("\(response.name ?? "no name"): accepted")
                } else {
                    print("refused, \(response)")
                }
            } catch {
                print("no answer: \(error)")
            }
        }
        await client.close()
    }

    static func google(account: FCMServiceAccount) throws -> FCMClient {
        let source = try FCMAccessTokenSource(account)
        let client = try FCMClient(FCMConfiguration(source))
        return client
    }

    static func check(client: FCMClient, registrationToken: String, print: (String) -> Void) async throws {
        var check = FCMMessage(to: .token(registrationToken), FCMContent())
        check.isValidatedOnly = true
        let response = try await client.send(check)
        print(response.action == .fixConfiguration ? "key, right or project: \(response)" : "can send")
    }
}
