import Testing
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher

struct DeadTokenStormTests {
    private static func sources(_ counts: [(String?, String?, String?, Int)]) -> DeadTokenSources {
        counts.reduce(into: DeadTokenSources()) { sources, entry in
            for _ in 0..<entry.3 {
                sources.count(DeadTokenSource(client: entry.0, topic: entry.1, reason: entry.2))
            }
        }
    }

    /// What is said of sources that were not there ten seconds before.
    private func storm(_ counts: [(String?, String?, String?, Int)]) -> (text: String, advice: String?) {
        var share = DeadTokenShare()
        let before = Self.sources([("acme", "com.example.old", "BadDeviceToken", 500)])
        _ = share.take(dead: 500, ended: 900, sources: before, now: .at(0))
        let total = counts.reduce(0) { $0 + $1.3 }
        let now = Self.sources([("acme", "com.example.old", "BadDeviceToken", 500)] + counts)
        let recent = share.take(dead: 500 + total, ended: 900 + 2 * total, sources: now, now: .at(5))
        let trouble = DeadTokenStorm(lane: "parcels", provider: .apns, recent).trouble
        return (trouble.text, trouble.advice)
    }

    @Test func oneSourceIsNamedWithWhatToDoAboutItsReason() {
        let (text, advice) = storm([
            ("acme", "com.example.parcels", "BadDeviceToken", 90), ("other", "com.example.calls", "Unregistered", 10),
        ])
        #expect(
            text == "lane parcels: 100 of the last 200 pushes went to dead or wrong tokens, "
                + "90 of client acme for com.example.parcels (BadDeviceToken), "
                + "10 of client other for com.example.calls (Unregistered)"
        )
        #expect(advice?.hasPrefix("This looks like the wrong environment: ") == true)
        #expect(advice?.contains(" Mostly a sandbox token in production or the other way round") == true)
        #expect(advice?.hasSuffix("waybill prune status.") == true)
    }

    /// Whose lane is wrong need not compare a list; whose tokens are old must.
    @Test(
        arguments: [
            ("BadDeviceToken", false), ("DeviceTokenNotForTopic", false), ("Unregistered", true), ("Another", true),
        ]
    )
    func aListIsComparedWhereTheReasonIsNotTheLanes(reason: String, isList: Bool) {
        #expect(storm([("acme", nil, reason, 60)]).advice?.contains("Tell client acme to compare its list") == isList)
        // Nobody is told to strike tokens off that may be live.
        #expect(storm([("acme", nil, reason, 60)]).advice?.contains("stop sending") == false)
        let several = storm((1...4).map { ("client-\($0)", nil, reason, 20 + $0) }).advice
        #expect(several?.contains("waybill stats --since 15m --outcome token_invalid --by client") == isList)
    }

    /// Five are named; of more it is said how many there are.
    @Test(arguments: [(4, ""), (5, ""), (7, ", and 2 more")])
    func severalSourcesAreNamedWithWhatItLooksLike(count: Int, others: String) {
        let (text, advice) = storm((1...count).map { ("client-\($0)", nil, "BadDeviceToken", 20 + $0) })
        let named = (max(1, count - 4)...count).reversed().map {
            ", \(20 + $0) of client client-\($0) (BadDeviceToken)"
        }
        #expect(text.hasSuffix("wrong tokens" + named.joined() + others))
        #expect(advice?.hasPrefix("This looks like the wrong environment: ") == true)
        #expect(advice?.hasSuffix("waybill prune status.") == true)
    }

    /// Two reasons, each of two clients.
    @Test func wordsOfSeveralClientsAreCountedTogether() {
        let (_, advice) = storm([
            ("a", nil, "Unregistered", 45), ("b", nil, "Unregistered", 45), ("a", nil, "BadDeviceToken", 5),
        ])
        #expect(advice?.hasPrefix("This looks like a fault of the push service") == true)
    }

    @Test func whoeverNamesNoClientIsNamedAsSuch() {
        let (text, advice) = storm([(nil, nil, nil, 60)])
        #expect(text.hasSuffix(", 60 of no client"))
        #expect(advice?.hasPrefix("Tell whoever sends without a client to compare its list") == true)
    }

    @Test func topicsThatAProducerInventsDoNotFillTheMemory() {
        let sources = Self.sources((0..<1000).map { ("acme", "topic-\($0)", nil, 1) })
        #expect(sources.counts.count == DeadTokenSources.most)
        // What is known goes on being counted.
        #expect(sources.since(Self.sources([])).count == DeadTokenSources.most)
    }
}
