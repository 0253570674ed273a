import Testing
import WaybillSettings
import WaybillTransfer

@testable import WaybillHooks
@testable import WaybillOutbox

@Suite("What becomes of an event")
struct WebhookDecisionTests {
    private func decide(_ answer: WebhookAnswer?, attempt: Int = 1, failing: Int64 = 0) -> WebhookDecision {
        var generator = SystemRandomNumberGenerator()
        return .after(answer, attempt: attempt, failing: failing, using: &generator)
    }

    @Test("what is taken", arguments: [200, 201, 202, 204, 299])
    func taken(status: Int) {
        #expect(decide(WebhookAnswer(status: status), attempt: 10, failing: .max) == .delivered)
    }

    @Test(
        "what is tried again after the first step, and lets the next one go",
        arguments: [nil, 199, 301, 302, 307, 400, 401, 404, 500]
    )
    func later(status: Int?) {
        guard case .later(let pause, 0) = decide(status.map { WebhookAnswer(status: $0) }) else {
            Issue.record("\(String(describing: status))")
            return
        }
        #expect((4500...5500).contains(pause))
        #expect(decide(status.map { WebhookAnswer(status: $0) }, attempt: RetrySteps.attempts) == .giveUp)
    }

    @Test("an endpoint that has too much is left alone, as long as it says", arguments: [429, 502, 503, 504])
    func rest(status: Int) {
        for (asked, expected) in [(nil, 5000), (1, 1000), (30, 30_000), (7 * 86_400, 86_400_000)] as [(Int?, Int64)] {
            guard case .later(let pause, expected) = decide(WebhookAnswer(status: status, retryAfter: asked)) else {
                Issue.record("\(status) \(String(describing: asked))")
                continue
            }
            #expect(pause >= expected)
        }
    }

    @Test("when an endpoint is disabled")
    func disable() {
        for (status, failing) in [(410, 0), (500, WebhookDecision.patience + 1)] as [(Int, Int64)] {
            guard case .disable = decide(WebhookAnswer(status: status), failing: failing) else {
                Issue.record("\(status)")
                continue
            }
        }
        guard case .disable = decide(nil, failing: WebhookDecision.patience + 1) else {
            Issue.record("no answer for too long")
            return
        }
        guard case .later = decide(nil, failing: WebhookDecision.patience) else {
            Issue.record("disabled too early")
            return
        }
    }
}

@Suite("Which addresses are reached")
struct ReachableAddressTests {
    private static let refused = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255",
        "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fc00::1", "fdff::1", "ff02::1", "2001:db8::1", "3fff::1", "100::1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "2002:7f00:1::", "5f00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2001::1",
        "2001:2::1", "2001:20::1", "2001:1ff::1",
        "168.63.129.16",
        "localhost", "",
    ]

    @Test("what is nobody's outside", arguments: refused)
    func refuses(address: String) {
        #expect(!ReachableAddress(allowed: []).permits(address))
    }

    @Test(
        "what is out there",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255", "168.63.129.15", "168.63.129.17", "2001:200::1", "2606:4700::1111", "2a00:1450:4001::1",
            "::ffff:8.8.8.8",
        ]
    )
    func permits(address: String) {
        #expect(ReachableAddress(allowed: []).permits(address))
    }

    @Test("what an operator allows, and no more")
    func allowed() throws {
        let addresses = ReachableAddress(allowed: [
            try #require(IPRange("127.0.0.0/8")), try #require(IPRange("fd00::/8")),
        ])
        #expect(addresses.permits("127.0.0.1") && addresses.permits("::ffff:127.0.0.1") && addresses.permits("fd12::1"))
        #expect(!addresses.permits("::1") && !addresses.permits("10.0.0.1") && !addresses.permits("fc00::1"))
    }

    /// Anybody with an account may name an endpoint of a service: what is allowed for clients is not allowed for it.
    @Test func servicesReachNothingThatIsAllowedForClients() throws {
        let (inside, other) = (try #require(IPRange("10.0.0.0/8")), try #require(IPRange("192.168.0.0/16")))
        let settings = HooksSettings.Webhooks(allowsPlain: true, allowed: [inside], allowedOfServices: [other])
        let (client, service) = (WebhookOwner.client("acme"), WebhookOwner.service("5e41ab4e"))
        #expect(settings.reachable(for: client).permits("10.1.2.3"))
        #expect(!settings.reachable(for: service).permits("10.1.2.3"))
        #expect(!settings.reachable(for: client).permits("192.168.1.1"))
        #expect(settings.reachable(for: service).permits("192.168.1.1"))
        #expect(settings.allowsPlain(for: client) && !settings.allowsPlain(for: service))
        #expect(settings.sharesConnections(for: client) && !settings.sharesConnections(for: service))
    }
}
