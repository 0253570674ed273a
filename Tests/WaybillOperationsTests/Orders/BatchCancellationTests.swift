import Testing
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMessages
import WaybillMongo

@testable import WaybillOperations

@Suite("Cancellations and clocks")
struct BatchCancellationTests {
    private static let date: Int64 = 1_790_000_000_000

    /// A record whose message says that it was published so much later than it was recorded.
    private func record(_ ahead: Int64?, _ outcome: Outcome = .accepted, at date: Int64 = Self.date) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                let high = ahead.map { UInt64(date + $0) << 16 | 0x8000 } ?? 0x4000
                writer.append("_id", uuid: high, 2)
                writer.append("outcome", string: outcome.rawValue)
                writer.append("batch_id", string: "news.1")
                writer.append("client", string: "acme")
                writer.append("date", date: date)
            }
        )
    }

    @Test(
        "a producer's clock is ahead by what its messages are ahead of their records",
        arguments: [
            ([], 0), ([nil], 0), ([-2000, nil], 0), ([0], 0), ([2000], 0), ([-5, 30_000, 29_000], 30_000),
            ([30_001], 31_000),
        ] as [([Int64?], Int64)]
    )
    func ahead(ahead: [Int64?], seen: Int64) {
        #expect(BatchCancellation.ahead(of: ahead.map { record($0) }) == seen)
    }

    @Test(
        "what is sent because it says that it was published after the order is told as such",
        arguments: [
            (nil, 0, .accepted, false), (1, 0, .accepted, true), (0, 0, .accepted, false), (1, -1, .accepted, false),
            (1, 0, .cancelled, false), (1, 0, .unknown, true),
        ] as [(Int64?, Int64, Outcome, Bool)]
    )
    func sentLater(ahead: Int64?, after: Int64, outcome: Outcome, isTold: Bool) {
        let source = OrderSource(name: "anna@host", date: Self.date - after)
        func told(_ cancellations: [Cancellation]) -> String? {
            StoryAdvice.sentLater(record(ahead, outcome, at: Self.date), than: cancellations)
        }
        let order = Cancellation(batch: BatchName("news"), client: "acme", source: source)
        let foreign = Cancellation(batch: BatchName("news"), client: "rival", source: source)
        #expect(told([]) == nil && told([foreign]) == nil)
        #expect((told([foreign, order]) != nil) == isTold)
        #expect(told([order, Cancellation(batch: BatchName("news.1"), client: nil, source: source, lead: 9)]) == nil)
    }

    @Test(
        "an audience that was published after the order is a new one, and a clock is blamed only where it was ahead",
        arguments: [
            (500, 900, "after that, and was sent as a new one", false), (nil, 900, "after that", false),
            (9900, 900, "as a new one. Its message says 9 s more", true), (-500, 900, "was published before", false),
            (9900, -100, "was published before", false),
        ] as [(Int64?, Int64, String, Bool)]
    )
    func audienceSentLater(published: Int64?, entered: Int64, words: String, isClock: Bool) throws {
        let order = Cancellation(
            batch: BatchName("news"),
            client: nil,
            source: OrderSource(name: "anna@host", date: Self.date - 1000)
        )
        let message = AudienceMessage(
            id: "news.1",
            client: "acme",
            content: [],
            selection: AudienceSelection(app: "com.example.parcels", kind: .users(["ada"]))
        )
        let audience = AudienceRecord(
            message,
            createdAt: order.source.date + entered,
            publishedAt: published.map { order.source.date + $0 }
        )
        let record = record(1, at: Self.date)
        let told = try #require(StoryAdvice.sentLater(record, than: [order], [audience]))
        #expect(told.contains(words), "\(told)")
        #expect(told.contains("clock") == isClock && told.contains("--ahead") == isClock, "\(told)")
        let foreign = AudienceRecord(
            AudienceMessage(id: "news.1", client: "rival", content: [], selection: message.selection),
            createdAt: 0
        )
        #expect(try #require(StoryAdvice.sentLater(record, than: [order], [foreign])).contains("clock"))
    }
}
