import AMQP
import Testing
import WaybillCore

@testable import Topology

@Suite struct TopologyTests {
    @Test func namesStandBelowThePrefix() {
        let names = QueueNames(prefix: "acme")
        #expect(names.dispatch == "acme.dispatch")
        #expect(names.rejected == "acme.rejected")
        #expect(names.invalidTokens == "acme.invalid-tokens")
        #expect(names.delay(DelayStep(seconds: 5)) == "acme.delay.5s")
        #expect(names.delay(DelayStep(seconds: 900)) == "acme.delay.15m")
    }

    @Test func everyQueueIsAQuorumQueueAndEveryTargetComesBeforeItsSources() {
        let topology = Topology(prefix: "p", delaySteps: [DelayStep(seconds: 5), DelayStep(seconds: 60)])
        #expect(
            topology.queues.map(\.name) == [
                "p.rejected", "p.invalid-tokens", "p.dispatch", "p.delay.5s", "p.delay.1m",
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
        for queue in Topology(prefix: "p", delaySteps: [DelayStep(seconds: 30)]).queues {
            let arguments = Dictionary(uniqueKeysWithValues: queue.arguments.map { ($0.name, $0.value) })
            if arguments["x-dead-letter-exchange"] == nil {
                #expect(arguments["x-delivery-limit"] == .int64(Topology.noDeliveryLimit), "\(queue.name)")
            }
        }
    }

    @Test func aDelayQueueExpiresIntoTheDispatchQueue() throws {
        let topology = Topology(prefix: "p", delaySteps: [DelayStep(seconds: 30)])
        let delay = try #require(topology.queues.last)
        let arguments = Dictionary(uniqueKeysWithValues: delay.arguments.map { ($0.name, $0.value) })
        #expect(arguments["x-message-ttl"] == 30_000)
        #expect(arguments["x-dead-letter-exchange"] == "")
        #expect(arguments["x-dead-letter-routing-key"] == "p.dispatch")
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
