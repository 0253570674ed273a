import Testing
import WaybillFleet

@testable import WaybillOperations

@Suite("Lanes of dispatchers that say nothing")
struct LaneOverviewTests {
    private static let now: Int64 = 1_700_000_000_000

    private static func lease(_ held: Int, process: Int32, startedAgo: Int64 = 3600, seenAgo: Int64) -> Lease {
        Lease(
            role: "dispatch",
            host: "push-1",
            process: process,
            version: "1.2.3",
            started: now - startedAgo * 1000,
            seen: now - seenAgo * 1000,
            status: Array(
                #"{"ready":true,"in_flight":{"messages":\#(held)},"lanes":[{"name":"parcels","state":"paused"}]}"#.utf8
            )
        )
    }

    @Test(
        "one that may hold messages does not follow yet",
        arguments: [(60, 30, 2, 1), (0, 30, 1, 0), (60, 300, 1, 0)] as [(Int, Int64, Int, Int)]
    )
    func silent(held: Int, seenAgo: Int64, places: Int, unconfirmed: Int) throws {
        let leases = [
            Self.lease(held, process: 1, seenAgo: seenAgo), Self.lease(3, process: 2, startedAgo: 20, seenAgo: 1),
        ]
        var orders = StandingOrders()
        orders.add(LaneOrder(lane: "parcels", state: .paused, source: OrderSource(name: "anna", date: Self.now)))
        let lane = try #require(LaneOverview.all(leases: leases, orders: orders, now: Self.now).first)
        #expect(lane.places.count == places)
        #expect(lane.unconfirmed.map(\.process) == Array(repeating: "dispatch on push-1 (1)", count: unconfirmed))
        #expect(lane.unconfirmed.allSatisfy { $0.cause == "its dispatcher has said nothing for 30 s" })
    }

    @Test(
        "one that had followed before it fell silent does not keep an order from being confirmed",
        arguments: [
            (.paused, 60, true), (.paused, 31, true), (.paused, 29, false), (.draining, 60, false), (.open, 60, false),
        ] as [(LaneOrder.State, Int64, Bool)]
    )
    func hadFollowed(ordered: LaneOrder.State, secondsAgo: Int64, isConfirmed: Bool) throws {
        let leases = [Self.lease(60, process: 1, seenAgo: 30)]
        var orders = StandingOrders()
        let source = OrderSource(name: "anna", date: Self.now - secondsAgo * 1000)
        orders.add(LaneOrder(lane: "parcels", state: ordered, source: source))
        let lane = try #require(LaneOverview.all(leases: leases, orders: orders, now: Self.now).first)
        let place = try #require(lane.places.first)
        #expect(place.isSilent)
        #expect(lane.isConfirmed(by: place) == isConfirmed)
        #expect(lane.unconfirmed.isEmpty == isConfirmed)
        let words = isConfirmed ? "had followed, and has" : "has"
        #expect(place.cause == "its dispatcher \(words) said nothing for 30 s")
        #expect(LaneJSON.text(lane).contains(#""confirmed":\#(isConfirmed)"#))
    }

    @Test("one that had nothing in hand may have got something since", arguments: [(30, 1), (90, 0)])
    func alone(seenAgo: Int64, places: Int) {
        let leases = [Self.lease(0, process: 1, seenAgo: seenAgo)]
        let lanes = LaneOverview.all(leases: leases, orders: StandingOrders(), now: Self.now)
        #expect(lanes.flatMap(\.places).filter(\.isSilent).count == places)
    }

    @Test("explain names who may hold a message, also where another one has taken over")
    func explain() {
        let leases = [Self.lease(60, process: 1, seenAgo: 30), Self.lease(3, process: 2, startedAgo: 20, seenAgo: 1)]
        let sending = SendingNow(leases: .success(leases), orders: .success(StandingOrders()), now: Self.now)
        let told = sending.obstacles().first { $0.text.contains("push-1 (1)") }
        #expect(told?.text.contains("it had 60 messages in hand, and may hold them still") == true)
        #expect(told?.remedy?.contains("kill -KILL 1") == true)
    }
}
