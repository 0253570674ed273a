import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("Since when a lane tries to connect in vain")
struct LaneOutageTests {
    private static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    @Test("Without an attempt nothing is in the way; one under way is, from its begin")
    func pending() {
        let outage = LaneOutage()
        #expect(outage.obstacle(pending: nil) == nil)
        let pending = outage.obstacle(pending: (Self.at(3), "a: no answer yet"))
        #expect(pending == PushObstacle(.network, "a: no answer yet", since: Self.at(3)))
    }

    @Test("The first attempt that failed is the begin, the last one says why, until a connection stands")
    func failures() {
        var outage = LaneOutage()
        outage.failed(.network, "refused", begin: Self.at(1))
        outage.failed(.certificate, "self-signed", begin: Self.at(9))
        let expected = PushObstacle(.certificate, "self-signed", since: Self.at(1))
        #expect(outage.obstacle(pending: nil) == expected)
        #expect(outage.obstacle(pending: (Self.at(20), "no answer yet")) == expected)
        // An attempt that hung before a connection broke is the begin, also once it fails.
        outage.ended()
        outage.failed(.network, "broken", begin: Self.at(15))
        #expect(outage.obstacle(pending: (Self.at(12), "no answer yet"))?.since == Self.at(12))
        outage.failed(.network, "took too long", begin: Self.at(12))
        #expect(outage.obstacle(pending: nil) == PushObstacle(.network, "took too long", since: Self.at(12)))
        outage.ended()
        #expect(outage.obstacle(pending: nil) == nil)
        outage.failed(.network, "reset", begin: Self.at(30))
        #expect(outage.obstacle(pending: nil)?.since == Self.at(30))
    }
}
