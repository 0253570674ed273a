import Testing

@testable import WaybillDispatcher

struct OutageTellerTests {
    @Test func whoNoticesAnOutageFirstTellsOfIt() {
        let outage = OutageTeller()
        #expect(outage.tells(.publishing))
        #expect(!outage.tells(.consuming))
        // It goes on: each try of the one that tells is told.
        #expect(outage.tells(.publishing))
        // The other one stands, which ends nothing for the first.
        outage.stands(.consuming)
        #expect(outage.tells(.publishing) && !outage.tells(.consuming))
    }

    @Test func whatIsLeftOfAnOutageIsToldByTheOther() {
        let outage = OutageTeller()
        #expect(outage.tells(.consuming) && !outage.tells(.publishing))
        outage.stands(.consuming)
        #expect(outage.tells(.publishing))
    }
}
