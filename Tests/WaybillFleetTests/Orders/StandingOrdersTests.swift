import Testing
import WaybillCore

@testable import WaybillFleet

@Suite("Orders that hold")
struct StandingOrdersTests {
    private static func cancellation(_ batch: String, client: String? = nil, at date: Int64 = 100) -> Cancellation {
        Cancellation(batch: BatchName(batch), client: client, source: OrderSource(name: "anna@host", date: date))
    }

    @Test(
        "a cancellation covers its batch, its parts and its client, and what was there when it was given",
        arguments: [
            ("news", nil, 100, true), ("news", "acme", 99, true), ("news", nil, 101, false), ("news.1", nil, 1, true),
            ("news.12", nil, 1, true), ("news.b", nil, 1, false), ("news.1.2", nil, 1, false), ("new", nil, 1, false),
            ("of-acme", "acme", 1, true), ("of-acme", "other", 1, false), ("of-acme", nil, 1, false),
            ("part.3", nil, 1, true), ("part", nil, 1, false),
            ("caf\u{E9}", nil, 1, true), ("caf\u{E9}.1", nil, 1, true), ("cafe\u{301}", nil, 1, false),
            ("cafe\u{301}.1", nil, 1, false), ("of-an-e", "\u{E9}", 1, true), ("of-an-e", "e\u{301}", 1, false),
        ] as [(String, String?, Int64, Bool)]
    )
    func covers(batch: String, client: String?, time: Int64, isCovered: Bool) {
        var orders = StandingOrders()
        #expect(!orders.hasCancellations)
        orders.add(Self.cancellation("news"))
        orders.add(Self.cancellation("of-acme", client: "acme"))
        orders.add(Self.cancellation("part.3"))
        orders.add(Self.cancellation("caf\u{E9}"))
        orders.add(Self.cancellation("of-an-e", client: "\u{E9}"))
        #expect(orders.hasCancellations)
        #expect((orders.cancellation(batch: batch, client: client, time: time) != nil) == isCovered)
    }

    @Test("an order covers more where the clock of the batch's producer is ahead")
    func lead() {
        var orders = StandingOrders()
        let source = OrderSource(name: "anna@host", date: 100)
        orders.add(Cancellation(batch: BatchName("news"), client: "acme", source: source, lead: 30))
        func order(_ time: Int64) -> Cancellation? { orders.cancellation(batch: "news", client: "acme", time: time) }
        #expect(order(130) != nil && order(131) == nil)
        #expect(orders.lastCancellation(batch: "news.1", client: "acme")?.coversUntil == 130)
        #expect(orders.lastCancellation(batch: "news", client: "rival") == nil)
        #expect(orders.lastCancellation(batch: "new", client: "acme") == nil)
    }

    /// When it was published nobody knows: it is first seen when a dispatcher has it.
    @Test("a message without a time of its own is covered for some hours after the order")
    func untimed() {
        var orders = StandingOrders()
        orders.add(Self.cancellation("news"))
        let reach = Int64(Cancellation.reach / .milliseconds(1))
        func isCovered(_ time: Int64, _ isOwn: Bool) -> Bool {
            orders.cancellation(batch: "news", client: nil, time: time, isOwnTime: isOwn) != nil
        }
        #expect(isCovered(100 + reach, false) && !isCovered(101 + reach, false))
        #expect(!isCovered(101, true))
    }

    @Test(
        "somebody is told before one of the limits is reached",
        arguments: [
            ([("acme", 399)], nil), ([("acme", 400)], "400 cancellations of the client acme hold, and with 500"),
            ([("acme", 390), ("rival", 390), ("other", 390)], nil),
            (
                [("acme", 399), ("rival", 399), ("other", 399), ("last", 3)],
                "1200 cancellations that are for a client each hold, and with 1500"
            ),
            ([(nil, 1599)], nil), ([(nil, 1600)], "1600 cancellations hold, and with 2000"), ([], nil),
        ] as [([(client: String?, count: Int)], String?)]
    )
    func use(held: [(client: String?, count: Int)], words: String?) {
        var orders = StandingOrders()
        for (client, count) in held {
            for number in 0..<count { orders.add(Self.cancellation("b\(number)", client: client)) }
        }
        let use = orders.cancellationUse
        #expect(use.all.count == held.reduce(0) { $0 + $1.count })
        #expect((use.trouble == nil) == (words == nil))
        if let words { #expect(use.trouble?.hasPrefix(words) == true, "\(use.trouble ?? "")") }
    }

    @Test("a later order for a lane takes the place of the one before")
    func lanes() {
        var orders = StandingOrders()
        for state in [LaneOrder.State.paused, .draining, .open] {
            orders.add(LaneOrder(lane: "parcels", state: state, source: OrderSource(name: "anna@host", date: 1)))
        }
        #expect(orders.lanes.mapValues(\.state) == ["parcels": .open])
    }
}
