import Testing
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo

@testable import WaybillOperations

/// In which order it is said what keeps a push that was put off.
struct DeferredAdviceTests {
    private static let now: Int64 = 1_700_000_000_000

    private func next(_ status: Int?, _ reason: String, _ obstacles: [Obstacle], openLanes: Set<String> = [])
        -> [String]
    {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "deferred")
                if let status { writer.append("status_code", int: status) }
                writer.append("reason", string: reason)
                writer.append("lane", string: "parcels")
            }
        )
        return StoryAdvice.next(
            of: record,
            verdict: nil,
            obstacles: obstacles,
            openLanes: openLanes,
            registry: []
        )
    }

    /// One other push of the lane that has no answer says nothing of this one.
    @Test func thePushesOwnReasonComesFirst() {
        let silent = Obstacle(
            "It does not answer on the lane parcels.",
            remedy: "Look at the network.",
            lane: "parcels"
        )
        let said = next(429, "TooManyRequests", [silent])
        #expect(said.count == 2)
        #expect(said.first?.hasPrefix("APNs answered it 429 TooManyRequests: too many notifications in a row") == true)
        #expect(said.last == "Look at the network.")
        #expect(next(nil, "unreachable", [silent]) == ["Look at the network."])
        #expect(next(429, "TooManyRequests", []).first?.hasPrefix("Nothing yet") == true)
    }

    @Test func aFaultOfTheLaneIsSaidOnceAndWhatElseKeepsItBehindThat() {
        let parked = Obstacle("The lane parcels is parked for BadCertificate.", remedy: "Renew it.", lane: "parcels")
        let none = Obstacle("No dispatcher runs.", remedy: "Start one.")
        let said = next(403, "BadCertificate", [parked, none])
        #expect(said.first?.hasPrefix("BadCertificate does not end by itself") == true)
        #expect(Array(said.dropFirst()) == ["Start one."])
    }

    private func lease(_ status: String, process: Int32, seenAgo: Int64) -> Lease {
        Lease(
            role: "dispatch",
            host: "vm",
            process: process,
            version: "1.2.3",
            started: Self.now - 3_600_000,
            seen: Self.now - seenAgo * 1000,
            isEnded: false,
            status: Array(status.utf8)
        )
    }

    /// Of a process that is long dead while another one works, nobody's push hears first.
    @Test func anOrderComesBeforeAProcess() {
        var orders = StandingOrders()
        let source = OrderSource(name: "anna@vm", date: Self.now - 60_000)
        orders.add(LaneOrder(lane: "parcels", state: .paused, source: source))
        let paused = #"{"ready":true,"lanes":[{"name":"parcels","state":"paused","cause":"by anna@vm"}]}"#
        let leases = [lease("{}", process: 6876, seenAgo: 600), lease(paused, process: 7000, seenAgo: 1)]
        let sending = SendingNow(leases: .success(leases), orders: .success(orders), now: Self.now)
        let found = sending.obstacles(lanes: ["parcels"])
        #expect(found.map { $0.lane } == ["parcels", nil])
        #expect(next(nil, "paused by anna@vm", found).first?.hasSuffix("`waybill lanes resume parcels`.") == true)
        #expect(sending.obstacles(isUnrecorded: true).map { $0.lane } == ["parcels", nil])
        // Of what may be of any lane, a process that may hold it is nearer.
        let killed = [lease("{}", process: 6876, seenAgo: 20), leases[1]]
        let suspecting = SendingNow(leases: .success(killed), orders: .success(orders), now: Self.now)
        #expect(suspecting.obstacles(isUnrecorded: true).map { $0.lane } == [nil, "parcels"])
    }

    private func unread(_ leases: [Lease], _ queues: [(name: String, messages: Int, consumers: Int)]) -> [Obstacle] {
        let queues = queues.map { FleetHealth.Queue(name: $0.name, messages: $0.messages, consumers: $0.consumers) }
        let orders = StandingOrders()
        return SendingNow(leases: .success(leases), orders: .success(orders), queues: queues, now: Self.now)
            .unreadQueues
    }

    /// Its lease says for some seconds that a dispatcher works which was killed.
    @Test func theBrokerKnowsFirstThatNobodyReads() {
        let killed = lease(#"{"ready":true}"#, process: 1, seenAgo: 1)
        let found = unread([killed], [("waybill.dispatch", 1, 0), ("waybill.bulk", 0, 0)])
        #expect(found.first?.text == "waybill.dispatch has no consumer, and 1 message waits.")
        // As `waybill status` says: one that was killed just now need not be looked for.
        let queues = ["waybill.dispatch", "waybill.bulk"].map { FleetHealth.Queue(name: $0, messages: 1, consumers: 0) }
        let told = FleetHealth(leases: [killed], consumed: queues, now: Self.now).findings
        #expect(found.map(\.remedy) == told.filter { $0.kind == .queueUnread }.map(\.advice))
        #expect(found.first?.remedy?.contains("is told of within ten seconds") == true)
        #expect(unread([killed], [("waybill.dispatch", 1, 1), ("waybill.bulk", 0, 0)]).isEmpty)
        #expect(unread([killed], [("waybill.dispatch", 1, 1), ("waybill.bulk", 2, 0)]).count == 1)
        #expect(unread([killed], []).isEmpty)
    }

    /// What the processes say themselves is not said again.
    @Test(arguments: ["", #"{"ready":false}"#, #"{"ready":true,"stopping":true}"#])
    func whereTheProcessesTellWhyTheBrokerIsNotAsked(status: String) {
        let leases = status.isEmpty ? [] : [lease(status, process: 1, seenAgo: 1)]
        #expect(unread(leases, [("waybill.dispatch", 1, 0)]).isEmpty)
    }
}
