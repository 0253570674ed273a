import Foundation
import Testing
import WaybillMessages

extension FlowTests {
    /// What a crash or an outage does to the flow: nothing lost, nothing sent twice that was recorded.
    struct CrashFlowTests {
        private func publish(_ count: Int, to rig: Rig, prefix: String, size: Int = 100) throws {
            for message in 0..<count {
                let tokens = (0..<size).map { Sample.token("aa", message * size + $0) }
                try rig.publish(Sample.batch("\(prefix)-\(message)", tokens: tokens))
            }
        }

        /// Every notification has a final record, and whatever APNs saw twice is marked as a repeat.
        private func expectAllAccounted(_ rig: Rig, count: Int) async throws {
            try await eventually("\(count) final records, queue empty; log: \(rig.log)", within: 60) {
                let counts = try rig.counts()
                let waiting = try rig.queues.consumed.reduce(0) { try $0 + rig.depth(of: $1) }
                return counts.reduce(0) { $0 + $1.value } == count && counts["deferred", default: 0] == 0
                    && waiting == 0
            }
            rig.simulator.stop()
            var pushes: [String: Int] = [:]
            for received in try rig.simulator.received() { pushes[received.apnsID ?? "", default: 0] += 1 }
            let records = try rig.records()
            #expect(Set(records.map(\.id)) == Set(pushes.keys))
            let unmarked = records.filter { pushes[$0.id, default: 0] > 1 && $0.isRepeat != true && $0.attempts < 2 }
            #expect(unmarked.isEmpty, "\(unmarked.count) repeats are not marked")
        }

        @Test func aKilledDispatcherLosesNothingAndRepeatsNothingThatWasRecorded() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "5ms"])
            defer { rig.tearDown() }
            try publish(100, to: rig, prefix: "kill")
            let dispatcher = try rig.startDispatcher()
            try await eventually("some are recorded; log: \(rig.log)") {
                try rig.counts()["accepted", default: 0] > 1000
            }
            dispatcher.signal(SIGKILL)
            _ = dispatcher.wait()
            let recorded = Set(try rig.records().map(\.id))
            try rig.startDispatcher()
            try await expectAllAccounted(rig, count: 10_000)
            // What had a record before the restart has kept it: its push was not sent again and not marked.
            let records = try rig.records()
            #expect(records.filter { recorded.contains($0.id) }.allSatisfy { $0.isRepeat == nil })
        }

        @Test func severalQueuesAreAllConsumedAndLoseNothingInACrash() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "5ms"], numberedQueues: 3)
            defer { rig.tearDown() }
            #expect(rig.queues.dispatchQueues.count == 4)
            func publish(_ name: String, each count: Int) throws {
                for (number, queue) in rig.queues.dispatchQueues.enumerated() {
                    for message in 0..<count {
                        let tokens = (0..<100).map { Sample.token("aa", (number * count + message) * 100 + $0) }
                        try rig.publish(Sample.batch("\(name)-\(number)-\(message)", tokens: tokens), to: queue)
                    }
                }
            }
            try publish("before", each: 20)
            let dispatcher = try rig.startDispatcher()
            try await eventually("some are recorded; log: \(rig.log)") {
                try rig.counts()["accepted", default: 0] > 1000
            }
            dispatcher.signal(SIGKILL)
            _ = dispatcher.wait()
            try rig.startDispatcher()
            try publish("after", each: 5)
            try await expectAllAccounted(rig, count: 10_000)
        }

        @Test func aStoppedDispatcherDrainsAndExitsWithZero() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "20ms"])
            defer { rig.tearDown() }
            try publish(100, to: rig, prefix: "term")
            let dispatcher = try rig.startDispatcher()
            try await eventually("some are recorded") { try rig.counts()["accepted", default: 0] > 100 }
            dispatcher.signal(SIGTERM)
            let result = dispatcher.wait()
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("dispatch.stopped"))
            let left = try rig.depth(of: rig.queues.dispatch)
            // Whole messages only: what was taken is done, what was not is still in the broker.
            try await eventually("taken and left add up") {
                try rig.counts()["accepted", default: 0] == 10_000 - 100 * left
            }
            try rig.startDispatcher()
            try await expectAllAccounted(rig, count: 10_000)
            #expect(try rig.records().allSatisfy { $0.isRepeat == nil })
        }

        @Test func aStoppedStoreHoldsTheFlowUntilItIsBack() async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services, simulatorArguments: ["--latency", "5ms"])
            defer { rig.tearDown() }
            try rig.startDispatcher()
            try publish(20, to: rig, prefix: "before")
            try await eventually("the first are recorded") { try rig.counts()["accepted", default: 0] == 2000 }
            try services.control("stop-store")
            try publish(50, to: rig, prefix: "during")
            try await eventually("the operator is told") { rig.log.contains("dispatch.storeFailed") }
            try services.control("start-store")
            try await expectAllAccounted(rig, count: 7000)
            #expect(rig.log.contains("dispatch.storeRecovered"))
        }

        @Test func aRestartedBrokerIsReconnectedAndNothingRecordedIsSentAgain() async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services, simulatorArguments: ["--latency", "5ms"])
            defer { rig.tearDown() }
            try publish(100, to: rig, prefix: "restart")
            try rig.startDispatcher()
            try await eventually("some are recorded") { try rig.counts()["accepted", default: 0] > 500 }
            rig.forgetBroker()
            try services.control("restart-broker")
            try await eventually("the loss is logged") { rig.log.contains("dispatch.brokerFailed") }
            try await expectAllAccounted(rig, count: 10_000)
        }
    }
}
