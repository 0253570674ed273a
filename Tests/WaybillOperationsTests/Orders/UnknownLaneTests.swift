import Testing
import WaybillFleet

@testable import WaybillOperations

@Suite("Lanes that an order may be about")
struct UnknownLaneTests {
    private static let now: Int64 = 1_700_000_000_000

    private static func lease(_ lane: String, seenAgo: Int64, isEnded: Bool = false) -> Lease {
        Lease(
            role: "dispatch",
            host: "push-2",
            process: 7,
            version: "1.2.3",
            started: now - 3_600_000,
            seen: now - seenAgo * 1000,
            isEnded: isEnded,
            status: Array(#"{"ready":true,"lanes":[{"name":"\#(lane)","state":"open"}]}"#.utf8)
        )
    }

    /// What is said of a lane, with the orders that stand by lane.
    private static func unknown(
        _ name: String,
        _ leases: [Lease] = [],
        ordered: [String: LaneOrder.State] = [:],
        configured: [String] = []
    ) -> UnknownLane? {
        var orders = StandingOrders()
        for (lane, state) in ordered {
            orders.add(LaneOrder(lane: lane, state: state, source: OrderSource(name: "anna", date: now)))
        }
        let lanes = LaneOverview.all(leases: leases, orders: orders, now: now)
        return UnknownLane(name, leases: leases, lanes: lanes, configured: configured)
    }

    @Test("a running dispatcher tells which there are, on whatever machine")
    func running() {
        let leases = [Self.lease("parcels", seenAgo: 1)]
        #expect(Self.unknown("parcels", leases) == nil)
        let unknown = Self.unknown("parcel", leases, configured: ["parcel"])
        #expect(unknown?.words(for: "parcel") == "no running dispatcher has the lane parcel; they have: parcels")
        // An order that was given ahead of its dispatcher can be taken back.
        #expect(Self.unknown("news", leases, ordered: ["news": .paused]) == nil)
        #expect(Self.unknown("news", leases, ordered: ["news": .open]) != nil)
    }

    @Test("where none is up, the configuration, last words and standing orders tell")
    func down() {
        let ended = [Self.lease("far", seenAgo: 100, isEnded: true)]
        let (configured, ordered) = (["parcels"], ["held": LaneOrder.State.draining, "stray": .open])
        for name in ["far", "parcels", "held"] {
            #expect(Self.unknown(name, ended, ordered: ordered, configured: configured) == nil, "\(name)")
        }
        for name in ["stray", "parcel"] {
            let unknown = Self.unknown(name, ended, ordered: ordered, configured: configured)
            #expect(
                unknown?.words(for: name)
                    == "no dispatcher is up, and the lane \(name) is not configured here, nor has any dispatcher told of it lately; "
                    + "known: far, held, parcels"
            )
        }
        #expect(Self.unknown("parcels")?.words(for: "parcels").hasSuffix("; no lane is known") == true)
    }
}
