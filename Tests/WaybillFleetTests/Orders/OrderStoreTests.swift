import Testing
import WaybillCore
import WaybillMongo

@testable import WaybillFleet

@Suite(.enabled(if: FleetStore.isAvailable))
struct OrderStoreTests {
    private static let source = OrderSource(name: "anna@host", date: 1_700_000_000_000, note: "a new certificate")

    @Test func ordersAreReadAsTheyWereWritten() throws {
        try FleetStore.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            #expect(try reader.orders() == StandingOrders())
            let other = OrderSource(name: "the shop's key", date: 1_700_000_000_001)
            let cancellations = [
                Cancellation(batch: BatchName("news"), client: nil, source: other),
                Cancellation(batch: BatchName("news"), client: "-", source: Self.source),
                // Names of any form are told apart.
                Cancellation(batch: BatchName("b/c"), client: "a", source: Self.source),
                Cancellation(batch: BatchName("c"), client: "a/b", source: Self.source),
            ]
            var wanted = StandingOrders()
            for cancellation in cancellations {
                try writer.write(cancellation)
                wanted.add(cancellation)
            }
            try writer.write(LaneOrder(lane: "parcels", state: .paused, source: Self.source))
            let drained = LaneOrder(lane: "parcels", state: .draining, source: other)
            try writer.write(drained)
            wanted.add(drained)
            let read = try reader.orders()
            #expect(read.lanes == wanted.lanes)
            #expect(Set(read.cancelled) == Set(wanted.cancelled))
        }
    }

    @Test func aBatchIsCancelledOnceMoreForWhatHasComeSince() throws {
        try FleetStore.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            for date: Int64 in [1, 2] {
                let source = OrderSource(name: "anna@host", date: date)
                try writer.write(Cancellation(batch: BatchName("news"), client: nil, source: source))
            }
            #expect(try OrderReader(client: client, database: database).orders().cancelled.map(\.source.date) == [2])
        }
    }
}
