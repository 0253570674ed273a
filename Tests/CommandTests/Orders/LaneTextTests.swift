import Testing
import WaybillFleet

@testable import WaybillOperations
@testable import waybill

@Suite("What became of an order for a lane")
struct LaneTextTests {
    private static func lane(_ states: [String], _ ordered: LaneOrder.State?) -> LaneOverview {
        let places = states.enumerated().map { number, state in
            LaneOverview.Place(process: "dispatch on push-\(number + 1) (7)", state: state, cause: nil)
        }
        let order = ordered.map { LaneOrder(lane: "parcels", state: $0, source: OrderSource(name: "anna", date: 0)) }
        return LaneOverview(name: "parcels", places: places, order: order)
    }

    @Test(
        "it is confirmed where the dispatcher's state is what was ordered",
        arguments: [
            (["open", "parked"], nil, 0), (["open", "paused"], .paused, 1), (["paused", "paused"], .paused, 0),
            (["paused", "draining"], .draining, 1), (["open", "parked", "unreachable"], .open, 0),
            (["paused", "draining", "open"], .open, 2), ([], .paused, 0),
        ] as [([String], LaneOrder.State?, Int)]
    )
    func unconfirmed(states: [String], ordered: LaneOrder.State?, expected: Int) {
        let lane = Self.lane(states, ordered)
        #expect(lane.unconfirmed.count == expected)
        let lines = LaneTable(width: nil, now: 12_000).lines([lane])
        let words = "ordered \(ordered?.rawValue ?? "nothing") 12 s ago, not confirmed"
        #expect(lines.count { $0.contains(words) } == expected, "\(lines)")
        #expect(
            LaneJSON.text(lane).split(separator: #""confirmed":false"#, omittingEmptySubsequences: false).count
                == expected + 1
        )
    }

    @Test("of one that had followed and is silent the table has the last word, and that")
    func silent() {
        let cause = "its dispatcher had followed, and has said nothing for 30 s"
        let place = LaneOverview.Place(
            process: "dispatch on push-1 (7)",
            state: "paused",
            cause: cause,
            isSilent: true,
            seen: 5000
        )
        let order = LaneOrder(lane: "parcels", state: .paused, source: OrderSource(name: "anna", date: 0))
        let lines = LaneTable(width: nil, now: 35_000)
            .lines([LaneOverview(name: "parcels", places: [place], order: order)])
        #expect(lines.last?.contains("paused  dispatch on push-1 (7)") == true, "\(lines)")
        #expect(lines.last?.contains(cause) == true, "\(lines)")
        #expect(!lines.contains { $0.contains("not confirmed") }, "\(lines)")
    }

    @Test("the command says how many follow, and who does not")
    func text() {
        #expect(
            LaneOrderOptions.text(Self.lane(["paused", "paused"], .paused))
                == "parcels is paused: 2 of 2 dispatchers follow"
        )
        #expect(LaneOrderOptions.text(Self.lane(["open"], .open)) == "parcels is open: 1 of 1 dispatcher follows")
        #expect(
            LaneOrderOptions.text(Self.lane(["open", "parked"], .open))
                == "no order holds parcels any more: 2 of 2 dispatchers follow; but it is parked, and is tried by itself"
        )
        let missing = LaneOrderOptions.text(Self.lane(["open", "draining"], .draining))
        #expect(
            missing.hasPrefix(
                "parcels is ordered drained: 1 of 2 dispatchers follow, and not yet dispatch on push-1 (7);"
            )
        )
        #expect(missing.contains("dispatch.ordersUnread"))
        let silent = LaneOverview.Place(
            process: "dispatch on push-2 (8)",
            state: "open",
            cause: nil,
            advice: "End it first (kill -KILL 8 there). Then start another one, unless one runs.",
            isSilent: true
        )
        let order = LaneOrder(lane: "parcels", state: .paused, source: OrderSource(name: "anna", date: 1))
        let ended = LaneOrderOptions.text(LaneOverview(name: "parcels", places: [silent], order: order))
        #expect(
            ended.hasSuffix(
                "; dispatch on push-2 (8): End it first (kill -KILL 8 there). Then start another one, unless one runs"
            )
        )
        #expect(!ended.contains("dispatch.ordersUnread"))
        #expect(LaneOrderOptions.text(Self.lane([], .paused)).contains("no dispatcher runs"))
        let ahead = LaneOrderOptions.text(Self.lane([], .paused), known: ["shop", "post"])
        #expect(ahead.contains("no running dispatcher has this lane; they have: shop, post; whoever starts with it"))
    }
}
