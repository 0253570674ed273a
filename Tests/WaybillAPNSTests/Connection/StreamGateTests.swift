import Testing

@testable import WaybillAPNS

@Suite("The stream gate")
struct StreamGateTests {
    @Test("Nothing before SETTINGS")
    func beforeSettings() {
        #expect(StreamGate(startsWithOne: true).room(open: 0) == 0)
        #expect(StreamGate(startsWithOne: false).room(open: 0) == 0)
    }

    @Test("With a token: one until the first good answer, whatever SETTINGS says")
    func oneFirst() {
        var gate = StreamGate(startsWithOne: true)
        gate.settings(maximumStreams: 1000)
        #expect(gate.room(open: 0) == 1)
        #expect(gate.room(open: 1) == 0)
        gate.prove()
        #expect(gate.room(open: 1) == 999)
    }

    @Test("With a certificate: what SETTINGS says from the start")
    func certificate() {
        var gate = StreamGate(startsWithOne: false)
        gate.settings(maximumStreams: 500)
        #expect(gate.room(open: 0) == 500)
    }

    @Test("A limit of zero holds even the first request")
    func zero() {
        var gate = StreamGate(startsWithOne: true)
        gate.settings(maximumStreams: 0)
        #expect(gate.room(open: 0) == 0)
    }

    @Test("A server without a limit is bounded")
    func unlimited() {
        var gate = StreamGate(startsWithOne: false)
        gate.settings(maximumStreams: Int(UInt32.max))
        #expect(gate.room(open: 0) == StreamGate.ceiling)
    }

    @Test("Never over the limit while it goes 1, 1000, 10, 0, 500")
    func movingLimit() {
        var gate = StreamGate(startsWithOne: true)
        var open = 0
        for limit in [1, 1000, 10, 0, 500] {
            gate.settings(maximumStreams: limit)
            // A lower limit takes nothing away from what is open, and adds nothing.
            let before = open
            open += gate.room(open: open)
            #expect(open <= max(limit, before))
            gate.prove()
            open += gate.room(open: open)
            #expect(open == max(limit, before))
            open -= min(open, 700)
        }
    }
}
