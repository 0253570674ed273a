import Testing

@testable import WaybillPushTransport

@Suite("The stream limit")
struct StreamLimitTests {
    @Test("Nothing before SETTINGS")
    func beforeSettings() {
        #expect(StreamLimit(startsWithOne: true).room(open: 0) == 0)
        #expect(StreamLimit(startsWithOne: false).room(open: 0) == 0)
    }

    @Test("With a token: one until the first good answer, whatever SETTINGS says")
    func oneFirst() {
        var limit = StreamLimit(startsWithOne: true)
        limit.settings(maximumStreams: 1000)
        #expect(limit.room(open: 0) == 1)
        #expect(limit.room(open: 1) == 0)
        limit.prove()
        #expect(limit.room(open: 1) == 999)
    }

    @Test("With a certificate: what SETTINGS says from the start")
    func certificate() {
        var limit = StreamLimit(startsWithOne: false)
        limit.settings(maximumStreams: 500)
        #expect(limit.room(open: 0) == 500)
    }

    @Test("A limit of zero holds even the first request")
    func zero() {
        var limit = StreamLimit(startsWithOne: true)
        limit.settings(maximumStreams: 0)
        #expect(limit.room(open: 0) == 0)
    }

    @Test("A server without a limit is bounded")
    func unlimited() {
        var limit = StreamLimit(startsWithOne: false)
        limit.settings(maximumStreams: Int(UInt32.max))
        #expect(limit.room(open: 0) == TransportSettings.defaultStreamCeiling)
    }

    @Test("A lane's own ceiling counts, whatever the server allows")
    func ceiling() {
        var limit = StreamLimit(startsWithOne: false, ceiling: 100)
        limit.settings(maximumStreams: 1000)
        #expect(limit.room(open: 0) == 100)
        limit.settings(maximumStreams: 10)
        #expect(limit.room(open: 0) == 10)
    }

    @Test("Never over the limit while it goes 1, 1000, 10, 0, 500")
    func movingLimit() {
        var limit = StreamLimit(startsWithOne: true)
        var open = 0
        for announced in [1, 1000, 10, 0, 500] {
            limit.settings(maximumStreams: announced)
            // A lower limit takes nothing away from what is open, and adds nothing.
            let before = open
            open += limit.room(open: open)
            #expect(open <= max(announced, before))
            limit.prove()
            open += limit.room(open: open)
            #expect(open == max(announced, before))
            open -= min(open, 700)
        }
    }
}
