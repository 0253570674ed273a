import Testing

@testable import waybill

@Suite("Publishing")
struct PublishingTests {
    @Test("message ids are UUIDs of version 7 with their time in front")
    func messageIDs() throws {
        let ids = (0..<1000).map { _ in MessageID.make(milliseconds: 0x0192_0000_ABCD) }
        #expect(Set(ids).count == 1000)
        let form = /01920000-abcd-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(ids.allSatisfy { $0.wholeMatch(of: form) != nil })
        #expect(MessageID.make(milliseconds: 1) < MessageID.make(milliseconds: 2))
    }

    @Test("rates", arguments: [("1", 1), ("500", 500), ("500/s", 500), ("10000000/s", 10_000_000)])
    func rates(text: String, perSecond: Int) {
        #expect(SendRate(argument: text)?.perSecond == perSecond)
    }

    @Test("what is no rate", arguments: ["", "/s", "0", "-1", "+5", "1.5", "500/m", "500 /s", "10000001", "fast", "٣"])
    func noRates(text: String) {
        #expect(SendRate(argument: text) == nil)
    }

    @Test("confirmations take messages off one by one, or all up to one")
    func confirms() {
        var progress = SendProgress()
        for tag in 1...6 { progress.add(UInt64(tag), weight: 10 * tag) }
        #expect((progress.open, progress.published, progress.confirmed) == (6, 210, 0))
        progress.confirm(2, multiple: false)
        #expect((progress.open, progress.confirmed, progress.confirmedMessages) == (5, 20, 1))
        #expect(progress.leading == 0)
        progress.confirm(4, multiple: true)
        #expect((progress.open, progress.confirmed, progress.confirmedMessages) == (2, 100, 4))
        #expect(progress.leading == 4)
        // Late and repeated ones change nothing.
        progress.confirm(3, multiple: true)
        progress.confirm(4, multiple: false)
        #expect((progress.open, progress.confirmed, progress.confirmedMessages) == (2, 100, 4))
        progress.confirm(6, multiple: true)
        #expect((progress.open, progress.confirmed, progress.confirmedMessages) == (0, 210, 6))
        #expect(progress.leading == 6)
    }
}
