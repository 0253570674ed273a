import Testing

@testable import WaybillOutbox

@Suite("Signatures of webhooks")
struct WebhookSecretTests {
    /// The vector of Standard Webhooks' own implementations.
    @Test func signsAsTheStandardSays() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.sign(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "what is no secret",
        arguments: [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La",
            "whsec_not base64", "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
    )
    func refuses(text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test func isDrawnAnewAndShowsItselfToNobody() throws {
        let secrets = (0..<4).map { _ in WebhookSecret.generate() }
        #expect(Set(secrets).count == 4)
        for secret in secrets {
            #expect(WebhookSecret(secret.reveal()) == secret)
            #expect(!"\(secret)".contains("whsec_"))
            #expect(!String(reflecting: secret).contains("whsec_"))
        }
    }

    @Test("every secret that is live signs, and no other")
    func rotation() throws {
        let (new, old, gone) = (WebhookSecret.generate(), WebhookSecret.generate(), WebhookSecret.generate())
        let live = [
            WebhookSecrets.Live(secret: new, until: nil), WebhookSecrets.Live(secret: old, until: 2000),
            WebhookSecrets.Live(secret: gone, until: 1000),
        ]
        let expected = [new, old].map { $0.sign(id: "e", timestamp: 1, body: [1]) }
        #expect(live.signatures(id: "e", now: 1000, body: [1]) == expected.joined(separator: " "))
        #expect(live.signatures(id: "e", now: 2000, body: [1]) == new.sign(id: "e", timestamp: 2, body: [1]))
    }
}
