import Testing
import WaybillAMQP
import WaybillCore

@testable import WaybillMessages

@Suite struct TopologyTests {
    @Test func namesStandBelowThePrefix() {
        let names = QueueNames(prefix: "acme")
        #expect(names.dispatch == "acme.dispatch")
        #expect(names.exchange == "acme.in")
        #expect(names.retry == "acme.retry")
        #expect(names.rejected == "acme.rejected")
        #expect(names.invalidTokens == "acme.invalid-tokens")
        #expect(names.delay(DelayStep(seconds: 5)) == "acme.delay.5s")
        #expect(names.delay(DelayStep(seconds: 900)) == "acme.delay.15m")
    }

    @Test(arguments: [
        (0, ["p.dispatch", "p.bulk", "p.retry"], "p.dispatch, p.bulk, p.retry"),
        (1, ["p.dispatch", "p.dispatch.0", "p.bulk", "p.retry"], "p.dispatch, p.dispatch.0, p.bulk, p.retry"),
        (
            3, ["p.dispatch", "p.dispatch.0", "p.dispatch.1", "p.dispatch.2", "p.bulk", "p.retry"],
            "p.dispatch, p.dispatch.0…2, p.bulk, p.retry"
        ),
    ])
    func theDispatchQueuesTheBulkQueueAndTheRetryQueueAreConsumed(_ number: Int, _ consumed: [String], _ text: String) {
        let names = QueueNames(prefix: "p", numberedQueues: number)
        #expect(names.consumed == consumed)
        #expect(names.consumedText == text)
        #expect(names.dispatchQueues == consumed.dropLast(2))
    }

    /// The numbers were worked out apart, by the definition of FNV-1a.
    @Test(arguments: [
        (0, "", "p.dispatch"), (1, "abc", "p.dispatch.0"), (3, "", "p.dispatch.2"), (3, "abc", "p.dispatch.0"),
        (64, "{\"batch_id\":\"b\"}", "p.dispatch.57"),
    ])
    func aBodyGoesToTheSameQueueEveryTime(_ number: Int, _ body: String, _ queue: String) {
        #expect(QueueNames(prefix: "p", numberedQueues: number).dispatch(for: Array(body.utf8)) == queue)
    }

    @Test func bodiesAreSpreadEvenly() {
        let names = QueueNames(prefix: "p", numberedQueues: 4)
        var counts: [String: Int] = [:]
        for batch in 0..<4000 {
            counts[names.dispatch(for: Array("{\"batch_id\":\"night.\(batch)\"}".utf8)), default: 0] += 1
        }
        #expect(counts.count == 4)
        #expect(counts.values.allSatisfy { (800...1200).contains($0) }, "\(counts)")
    }

    @Test func addingNumberedQueuesChangesNoQueueThatIsThere() {
        func queues(_ number: Int) -> [String: [String: AMQPValue]] {
            let names = QueueNames(prefix: "p", numberedQueues: number)
            let queues = Topology(names: names, delaySteps: [DelayStep(seconds: 5)]).queues
            return Dictionary(
                uniqueKeysWithValues: queues.map {
                    ($0.name, Dictionary(uniqueKeysWithValues: $0.arguments.map { ($0.name, $0.value) }))
                }
            )
        }
        let none = queues(0)
        let three = queues(3)
        #expect(three.filter { none[$0.key] != nil } == none)
        #expect(Set(three.keys).subtracting(none.keys) == ["p.dispatch.0", "p.dispatch.1", "p.dispatch.2"])
        #expect(three["p.dispatch.2"] == three["p.dispatch"])
    }

    @Test func everyQueueIsAQuorumQueueAndEveryTargetComesBeforeItsSources() {
        let topology = Topology(
            names: QueueNames(prefix: "p"),
            delaySteps: [DelayStep(seconds: 5), DelayStep(seconds: 60)]
        )
        #expect(
            topology.queues.map(\.name) == [
                "p.rejected", "p.invalid-tokens", "p.audience", "p.dispatch", "p.bulk", "p.retry", "p.delay.5s",
                "p.delay.1m",
            ]
        )
        var declared: Set<String> = []
        for queue in topology.queues {
            let arguments = Dictionary(uniqueKeysWithValues: queue.arguments.map { ($0.name, $0.value) })
            #expect(arguments["x-queue-type"] == "quorum")
            if case .string(let target) = arguments["x-dead-letter-routing-key"] {
                #expect(declared.contains(target))
                #expect(arguments["x-dead-letter-strategy"] == "at-least-once")
                #expect(arguments["x-overflow"] == "reject-publish")
            }
            declared.insert(queue.name)
        }
    }

    @Test func nothingIsDroppedFromAQueueWithoutADeadLetterTarget() {
        for queue in Topology(names: QueueNames(prefix: "p"), delaySteps: [DelayStep(seconds: 30)]).queues {
            let arguments = Dictionary(uniqueKeysWithValues: queue.arguments.map { ($0.name, $0.value) })
            if arguments["x-dead-letter-exchange"] == nil {
                #expect(arguments["x-delivery-limit"] == .int64(Topology.noDeliveryLimit), "\(queue.name)")
            }
        }
    }

    @Test func aDelayQueueExpiresIntoTheRetryQueue() throws {
        let topology = Topology(names: QueueNames(prefix: "p"), delaySteps: [DelayStep(seconds: 30)])
        let delay = try #require(topology.queues.last)
        let arguments = Dictionary(uniqueKeysWithValues: delay.arguments.map { ($0.name, $0.value) })
        #expect(arguments["x-message-ttl"] == 30_000)
        #expect(arguments["x-dead-letter-exchange"] == "")
        #expect(arguments["x-dead-letter-routing-key"] == "p.retry")
    }

    @Test(arguments: [
        (
            "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '5000' but current is '7000'",
            "x-message-ttl is 7000, should be 5000"
        ),
        (
            "PRECONDITION_FAILED - inequivalent arg 'x-overflow' for queue 'q' in vhost '/': received the value 'reject-publish' of type 'longstr' but current is none",
            "x-overflow is absent, should be reject-publish"
        ),
        (
            "PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'q' in vhost '/': received none but current is the value '' of type 'longstr'",
            "x-dead-letter-exchange is empty, should be absent"
        ),
        (
            "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'q' in vhost '/': received 'true' but current is 'false'",
            "durable is false, should be true"
        ),
    ])
    func differencesAreReadFromTheBrokersWords(_ text: String, _ expected: String) {
        #expect(InequivalentArgument(brokerText: text)?.description == expected)
    }

    @Test func otherWordsAreLeftAlone() {
        #expect(InequivalentArgument(brokerText: "PRECONDITION_FAILED - unknown delivery tag 7") == nil)
    }
}
