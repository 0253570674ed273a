import Testing
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher

/// In virtual time.
struct DeadTokenMemoryTests {
    private func text(_ storm: (recent: DeadTokenShare.Recent, age: Duration)) -> String {
        DeadTokenStorm(lane: "parcels", provider: .apns, storm.recent, age: storm.age).trouble.text
    }

    /// Looked at every second: 20 dead tokens of 25 pushes a second, until so many seconds have passed.
    @Test func aStormIsToldOfForAMinuteAfterItsEnd() throws {
        var memory = DeadTokenMemory()
        let end = 20
        var lastTold = 0
        var texts: [Int: String] = [:]
        for second in 0...200 {
            let dead = min(second, end) * 20
            let storm = memory.take(
                dead: dead,
                ended: min(second, end) * 25,
                sources: DeadTokenSources(),
                now: .at(second)
            )
            guard let storm else { continue }
            lastTold = second
            texts[second] = text(storm)
        }
        #expect(texts[1] == nil, "few are no storm")
        #expect(texts[20] == "lane parcels: 200 of the last 250 pushes went to dead or wrong tokens")
        // The last moment in which a storm is seen has what is left of it; after it, its height is told.
        #expect(texts[27] == "lane parcels: 60 of the last 75 pushes went to dead or wrong tokens")
        let after = try #require(texts[60])
        // Of the last dead token, not of the last moment in which the share was that of a storm.
        #expect(after == "lane parcels: 200 of 250 pushes went to dead or wrong tokens until 40 s ago")
        #expect(lastTold == end + 60)
    }

    @Test func aStormThatComesBackIsToldAsItIs() {
        var memory = DeadTokenMemory()
        _ = memory.take(dead: 0, ended: 0, sources: DeadTokenSources(), now: .at(0))
        _ = memory.take(dead: 500, ended: 500, sources: DeadTokenSources(), now: .at(5))
        let calm = memory.take(dead: 500, ended: 5000, sources: DeadTokenSources(), now: .at(30))
        #expect(calm.map(text) == "lane parcels: 500 of 500 pushes went to dead or wrong tokens until 25 s ago")
        let again = memory.take(dead: 560, ended: 5060, sources: DeadTokenSources(), now: .at(45))
        #expect(again.map(text) == "lane parcels: 60 of the last 60 pushes went to dead or wrong tokens")
    }
}
