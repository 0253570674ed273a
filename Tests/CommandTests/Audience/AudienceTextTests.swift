import Testing
import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillFleet
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

    private static let source = OrderSource(name: "anna@push-1", date: 1_795_233_906_789)

    private func order(_ batch: String) -> Cancellation {
        Cancellation(batch: BatchName(batch), client: nil, source: Self.source)
    }

    @Test func whatCancelsItIsShown() {
        let lines = AudienceShowCommand.lines(record("news-7"), [], order: order("autumn"), width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[2] == "cancelled       by anna@push-1 at 2026-11-21 04:05:06.789, by its cancel_key")
        #expect(lines[3] == "                autumn: nothing more is handed over")
        let own = AudienceShowCommand.object(record("news-7"), [], order: order("news-7")).text
        #expect(own.contains(#""cancelled_by":"anna@push-1""#), "\(own)")
    }

    @Test func aKeyIsNotATypo() {
        var begun = record("news-7")
        begun.handedOver = 12
        #expect(
            CancelledAudiences.words("autumn", named: [], keyed: [begun])
                == "nothing more of autumn will be sent; it is the cancel_key of news-7 of acme (12 handed over)"
        )
        #expect(CancelledAudiences.words("news-7", named: [begun], keyed: []).hasSuffix("; 12 were handed over by now"))
        let typo = CancelledAudiences.words("autum", named: [], keyed: [])
        #expect(typo.hasSuffix("no audience has this name or this cancel_key by now"))
    }

    @Test func whatHasEndedAsCancelledIsNotCancelledAgain() {
        var ended = record("news-7")
        ended.state = .cancelled
        let orders = [order("news-7")]
        func again(_ known: [AudienceRecord], keyed: [AudienceRecord] = [], _ orders: [Cancellation]) -> Bool {
            CancelledAudiences.alreadyEnded("news-7", nil, known: known, keyed: keyed, orders: orders) != nil
        }
        #expect(again([ended], orders))
        #expect(!again([ended], []) && !again([], orders) && !again([ended, record("news-7")], orders))
        #expect(!again([ended], keyed: [record("other")], orders) && !again([ended], [order("other")]))
    }

    @Test func aTimeThatDependsOnTheCommandIsNamed() {
        let other = KnownAudience.another(record("news-7"), isRelative: true)
        #expect(other.contains("which waits until 2026-11-21T"))
        #expect(other.contains("give a fixed time"))
        #expect(!KnownAudience.another(record("news-7"), isRelative: false).contains("fixed time"))
        #expect(KnownAudience.same(record("news-7")).contains("nothing is sent twice"))
    }
}
