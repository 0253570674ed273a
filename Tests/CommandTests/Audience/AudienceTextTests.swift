import Testing
import WaybillAudience
import WaybillMessages

@testable import waybill

struct AudienceTextTests {
    private func message(_ id: String, client: String = "acme") -> AudienceMessage {
        AudienceMessage(
            id: id,
            client: client,
            content: [],
            selection: AudienceSelection(app: "com.example.parcels", kind: .users(["ada"]))
        )
    }

    @Test func eachAudienceOfEachClientHasAMessageIDOfItsOwn() {
        let long = String(repeating: "n", count: 254)
        let messages = [
            message("news"), message("news", client: "globex"), message("news-2"), message(long + "1"),
            message(long + "2"),
        ]
        let ids = messages.map(AudiencePublisher.messageID)
        #expect(Set(ids).count == messages.count && ids[0] == "acme/news")
        #expect(ids.allSatisfy { $0.utf8.count <= 255 })
    }

    private func record(_ id: String) -> AudienceRecord {
        var record = AudienceRecord(message(id), createdAt: 0)
        record.state = .waiting
        record.due = 1_795_233_906_789
        return record
    }

    @Test func whenAnAudienceIsDueHasALineOfItsOwn() {
        #expect(
            AudienceShowCommand.lines(record("news-7"), [], width: 80) == [
                "news-7  waiting", "due             2026-11-21 04:05:06.789", "devices found   0", "handed over     0",
                "without a lane  0", "without content 0",
            ]
        )
    }

    @Test func itKeepsToTheWidthOfTheScreen() {
        var record = record(String(repeating: "n", count: 60))
        record.state = .failed
        record.reason = String(repeating: "word ", count: 30) + "end"
        let lines = AudienceShowCommand.lines(record, [], width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("nnn") && lines[2].hasSuffix("end"))
        #expect(!lines.contains { $0.hasPrefix("due") })
    }
}
