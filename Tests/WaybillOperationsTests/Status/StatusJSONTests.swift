import Foundation
import Testing
import WaybillFleet
import WaybillMongo
import WaybillOperations

@Suite("The state as JSON")
struct StatusJSONTests {
    private static let now: Int64 = 1_700_000_000_000

    @Test(
        "a process that should have been heard of is marked, unless it has ended",
        arguments: [(8, false, false), (9, false, true), (9, true, false)]
    )
    func silentProcess(secondsAgo: Int64, isEnded: Bool, isSilent: Bool) throws {
        let lease = Lease(
            role: "dispatch",
            host: "push-1",
            process: 7,
            version: "1.0.0",
            started: Self.now - 7_200_000,
            seen: Self.now - secondsAgo * 1000,
            isEnded: isEnded,
            status: Array("{}".utf8)
        )
        let state = InstallationState(
            broker: .success(InstallationState.Broker()),
            store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
            leases: [lease],
            now: Self.now
        )
        let text = StatusJSON.text(of: state)
        let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let process = try #require((json["processes"] as? [[String: Any]])?.first)
        #expect((process["silent"] as? Bool ?? false) == isSilent)
        #expect((process["ended"] as? Bool ?? false) == isEnded)
    }

    @Test("what no process says of itself is named", arguments: [[], ["b"], ["b", "a"]])
    func unreadableLeases(names: [String]) {
        let state = InstallationState(
            broker: .success(InstallationState.Broker()),
            store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
            leases: [lease(1, #"{"ready":true}"#)],
            unreadableLeases: names,
            now: Self.now
        )
        let found = state.health.findings.filter { $0.text.contains("the collection processes") }
        #expect(found.count == min(names.count, 1))
        #expect(found.allSatisfy { $0.text.contains(names.count == 1 ? "left out: b" : "left out: a and 1 more") })
    }

    @Test(
        "a queue has RabbitMQ's count of its consumers, and that of the dispatchers that read it and are not stopping"
    )
    func consumers() throws {
        let both = #"{"ready":true,"queues":["waybill.dispatch","waybill.dispatch.2"]}"#
        let one = #"{"ready":true,"queues":["waybill.dispatch"]}"#
        let stopping = #"{"ready":false,"stopping":true,"queues":["waybill.dispatch","waybill.dispatch.2"]}"#
        let leases = [lease(1, both), lease(2, one), lease(3, stopping), lease(4, one, secondsAgo: 61)]
        let queues = try self.queues(leases)
        #expect(queues.map { $0["consumers"] as? Int } == [4, 2])
        #expect(queues.map { $0["consumers_by_dispatchers"] as? Int } == [2, 1])
        // The broker may not know yet that it has gone, and one of another release does not say what it reads.
        let doubtful = try self.queues(leases + [lease(5, one, secondsAgo: 20)])
        #expect(doubtful.map { $0["consumers_by_dispatchers"] as? Int } == [nil, nil])
        #expect(try self.queues([lease(6, "{}")]).map { $0["consumers_by_dispatchers"] as? Int } == [1, 1])
    }

    @Test("an alarm of the broker is told of beside its queues, whoever has heard of it", arguments: [0, 1, 2])
    func alarm(kind: Int) throws {
        let cause = "an alarm of the broker (low on memory) blocks whoever publishes, producers too"
        let blocked = #"{"ready":false,"checks":[{"name":"confirms","ok":false,"cause":"\#(cause)"}]}"#
        var broker = InstallationState.Broker()
        if kind == 2 { broker.management = .success(ManagementReport(alarms: ["disk alarm on rabbit@a"])) }
        let state = InstallationState(
            broker: .success(broker),
            store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
            leases: [lease(1, kind == 1 ? blocked : #"{"ready":true}"#)],
            now: Self.now
        )
        let json = try JSONSerialization.jsonObject(with: Data(StatusJSON.text(of: state).utf8)) as? [String: Any]
        let told = (json?["broker"] as? [String: Any])?["blocked"] as? Bool
        #expect(told == (kind == 0 ? nil : true))
        #expect((json?["grade"] as? String == "down") == (kind != 0))
    }

    private func lease(_ process: Int32, _ status: String, secondsAgo: Int64 = 1) -> Lease {
        Lease(
            role: "dispatch",
            host: "push-1",
            process: process,
            version: "1.0.0",
            started: Self.now - 7_200_000,
            seen: Self.now - secondsAgo * 1000,
            status: Array(status.utf8)
        )
    }

    private func queues(_ leases: [Lease]) throws -> [[String: Any]] {
        let broker = InstallationState.Broker(consumed: [
            FleetHealth.Queue(name: "waybill.dispatch", messages: 0, consumers: 4),
            FleetHealth.Queue(name: "waybill.dispatch.2", messages: 0, consumers: 2),
        ])
        let state = InstallationState(
            broker: .success(broker),
            store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
            leases: leases,
            now: Self.now
        )
        let json = try JSONSerialization.jsonObject(with: Data(StatusJSON.text(of: state).utf8)) as? [String: Any]
        return try #require((json?["broker"] as? [String: Any])?["queues"] as? [[String: Any]])
    }
}
