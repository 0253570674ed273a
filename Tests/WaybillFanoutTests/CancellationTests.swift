import Testing
import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillMessages

@testable import WaybillFanout

/// Which orders end an audience, from a table.
struct CancellationTests {
    private static let ordered: Int64 = 1_795_000_000_000
    private static let reach = Int64(Cancellation.reach / .milliseconds(1))

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        /// After the order, in milliseconds; `nil`: its message has no time.
        var published: Int64?
        var entered: Int64
        var batch = "day-17"
        var client: String?
        var lead: Int64 = 0
        let isCancelled: Bool

        var testDescription: String { what }
    }

    static let cases = [
        Case(what: "published before, taken after", published: -1, entered: 600_000, isCancelled: true),
        Case(what: "published at the same moment", published: 0, entered: 1, isCancelled: true),
        Case(what: "published after, under the same name", published: 1, entered: 2, isCancelled: false),
        Case(what: "by its cancel_key", published: -1, entered: 1, batch: "autumn", isCancelled: true),
        Case(what: "after that", published: 1, entered: 1, batch: "autumn", isCancelled: false),
        Case(what: "of another client", published: -1, entered: 1, client: "rival", isCancelled: false),
        Case(what: "a clock that was ahead, taken before", published: 9000, entered: -1, isCancelled: true),
        Case(what: "a clock that is ahead, taken after", published: 9000, entered: 9500, isCancelled: false),
        Case(what: "the same, and the order says so", published: 9000, entered: 9500, lead: 9000, isCancelled: true),
        Case(what: "without a time, taken before", published: nil, entered: -1, isCancelled: true),
        Case(what: "without a time, soon after", published: nil, entered: reach, isCancelled: true),
        Case(what: "without a time, later", published: nil, entered: reach + 1, isCancelled: false),
    ]

    @Test(arguments: cases) func whatWasPublishedBeforeTheOrderEnds(_ one: Case) {
        var orders = StandingOrders()
        orders.add(
            Cancellation(
                batch: BatchName(one.batch),
                client: one.client,
                source: OrderSource(name: "anna@host", date: Self.ordered),
                lead: one.lead
            )
        )
        let message = AudienceMessage(
            id: "day-17",
            client: "acme",
            content: [],
            selection: AudienceSelection(app: "com.example.parcels", kind: .users(["ada"])),
            cancelKey: "autumn"
        )
        let record = AudienceRecord(
            message,
            createdAt: Self.ordered + one.entered,
            publishedAt: one.published.map { Self.ordered + $0 }
        )
        #expect(record.cancellation(by: orders)?.reason == (one.isCancelled ? "cancelled by anna@host" : nil))
    }
}
