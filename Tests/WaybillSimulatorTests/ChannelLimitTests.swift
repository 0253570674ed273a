import Testing

@testable import WaybillSimulator

@Suite struct ChannelLimitTests {
    @Test func eachAppHasItsOwnLimitAndARemovedChannelMakesRoom() throws {
        let channels = SimulatorChannels(limit: 2, seed: 1)
        let first = try #require(channels.create(bundleID: "a", storesMessages: true))
        #expect(channels.create(bundleID: "a", storesMessages: true) != nil)
        #expect(channels.create(bundleID: "a", storesMessages: true) == nil)
        #expect(channels.create(bundleID: "b", storesMessages: true) != nil)
        #expect(!channels.remove(first.id, of: "b"))
        #expect(channels.create(bundleID: "a", storesMessages: true) == nil)
        #expect(channels.remove(first.id, of: "a"))
        #expect(channels.create(bundleID: "a", storesMessages: true) != nil)
        #expect(channels.create(bundleID: "a", storesMessages: true) == nil)
        #expect(channels.all.map(\.bundleID) == ["a", "b", "a"])
    }
}
