import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("What is counted of a connection")
struct ConnectionMeterTests {
    private static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private static func makeMeter() -> ConnectionMeter {
        ConnectionMeter(id: 4, address: "api.push.apple.com", at: at(10))
    }

    private static func settings(_ streams: Int) -> ConnectionRecord.Settings {
        ConnectionRecord.Settings(
            age: .zero,
            maximumStreams: streams,
            initialWindow: 0,
            maximumFrame: 0,
            headerTable: 0,
            maximumHeaderList: 0
        )
    }

    private static let gauges = ConnectionMeter.Gauges(state: .open, streamsOpen: 3, streamLimit: 9, bodiesWaiting: 2)

    @Test("The gauges are those of the moment, and what was counted stays")
    func gauges() {
        var meter = Self.makeMeter()
        meter.record.carried += 5
        meter.record.address = "17.188.1.1:443"
        let record = meter.refreshed(Self.gauges, at: Self.at(15))
        #expect(record.id == 4)
        #expect((record.state, record.age) == (.open, .seconds(5)))
        #expect((record.streamsOpen, record.streamLimit, record.bodiesWaiting) == (3, 9, 2))
        #expect((record.carried, record.address) == (5, "17.188.1.1:443"))
        #expect(record == meter.record)
        #expect(meter.refreshed(Self.gauges, at: Self.at(16)).age == .seconds(6))
    }

    @Test("Of a long series of SETTINGS the first and the latest are kept", arguments: [0, 1, 16, 17, 40])
    func settings(count: Int) {
        var meter = Self.makeMeter()
        for number in 0..<count { meter.noteSettings(Self.settings(number)) }
        let kept = meter.record.settings.map(\.maximumStreams)
        #expect(kept == (count <= 16 ? Array(0..<count) : [0] + Array(count - 15..<count)))
    }

    @Test("The first GOAWAYs are kept", arguments: [0, 8, 9])
    func goAways(count: Int) {
        var meter = Self.makeMeter()
        for number in 0..<count { meter.noteGoAway("\(number)") }
        #expect(meter.record.goAways == (0..<min(count, 8)).map(String.init))
    }

    @Test("Stalls are counted apart, those of windows with their time")
    func stalls() {
        var meter = Self.makeMeter()
        meter.noteStalls(ofStreams: true, ofWindows: false, at: Self.at(11))
        meter.noteStalls(ofStreams: false, ofWindows: true, at: Self.at(12))
        meter.noteStalls(ofStreams: true, ofWindows: true, at: Self.at(13))
        let record = meter.refreshed(Self.gauges, at: Self.at(15))
        #expect((record.streamStalls, record.windowStalls) == (2, 1))
        #expect(record.windowStalled == .seconds(3))
        #expect(meter.windowStalls.since == Self.at(12))
    }
}
