import Testing
import WaybillMongo

@testable import WaybillSchedule

/// When a document that waits for its time is looked at.
@Suite struct WaitRuleTests {
    private static let now: Int64 = 1_795_000_000_000

    @Test(arguments: [(10, 10), (59_999, 59_999), (3_600_000, 60_000), (0, 500), (-8000, 2000), (-900_000, 60_000)])
    func itIsLookedAtWhenItsTimeComes(ahead: Int64, pause: Int64) {
        #expect(WaitRule.next(begins: Self.now + ahead, now: Self.now) == Self.now + pause)
    }

    @Test(arguments: [(false, false, false), (true, false, true), (true, true, false), (false, true, false)])
    func whatIsHeldWaitsOn(isHeld: Bool, isCancelled: Bool, waits: Bool) {
        let document = BSONDocument { writer in
            writer.append("held", bool: isHeld)
            writer.append("cancel", bool: isCancelled)
            writer.append("at", date: Self.now - 8000)
        }
        let pause = WaitRule.pause(document, now: Self.now)
        #expect((pause != nil) == waits)
        if let pause { #expect(pause.begins == Self.now - 8000 && pause.look == Self.now + 2000) }
    }
}
