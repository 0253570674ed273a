import Glibc
import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages

private let brokerURL = getenv("WAYBILL_TEST_BROKER").map { String(cString: $0) }

@Suite(.enabled(if: brokerURL != nil, "WAYBILL_TEST_BROKER is not set"))
struct LiveTopologyTests {
    /// Runs a test with a prefix of its own, whose queues are gone afterwards.
    private func withTopology(
        _ delaySteps: [DelayStep] = [DelayStep(seconds: 1)],
        _ body: (AMQPConnection, Topology) throws -> Void
    ) throws {
        let endpoint = try AMQPEndpoint(url: #require(brokerURL), connectionName: "TopologyTests")
        let prefix = "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let topology = Topology(names: QueueNames(prefix: prefix, numberedQueues: 2), delaySteps: delaySteps)
        let connection = try AMQPConnection.open(endpoint, timeout: .seconds(20))
        defer {
            if !connection.isChannelOpen { try? connection.reopenChannel() }
            for queue in topology.queues { try? connection.deleteQueue(queue.name) }
            try? connection.deleteExchange(topology.names.exchange)
            try? connection.deleteExchange(topology.names.replayExchange)
            connection.close()
        }
        try body(connection, topology)
    }

    @Test func declaringTwiceCreatesOnce() throws {
        try withTopology { connection, topology in
            let missing = #expect(throws: TopologyError.self) {
                try topology.verify(on: connection, for: .installation)
            }
            #expect(missing?.code == .missing)
            let all = topology.queues.map(\.name) + [topology.names.exchange, topology.names.replayExchange]
            #expect(missing?.queues == all)
            #expect(missing?.isUntouched == true)

            let first = try topology.declare(on: connection)
            #expect(first.map(\.name) == all)
            #expect(Set(first.map(\.change)) == [.created])
            let second = try topology.declare(on: connection)
            #expect(Set(second.map(\.change)) == [.exists])
            try topology.verify(on: connection)
        }
    }

    @Test(
        "Each user looks for what it needs, and for nothing else",
        arguments: [
            (.producer, ["dispatch", "dispatch.0", "dispatch.1", "in"]), (.pruner, ["rejected", "invalid-tokens"]),
            (.replayer, ["rejected", "invalid-tokens", "audience", "retry", "replay"]),
        ] as [(TopologyUser, [String])]
    )
    func needs(user: TopologyUser, names: [String]) throws {
        try withTopology { connection, topology in
            let names = names.map(topology.names.named)
            let missing = #expect(throws: TopologyError.self) { try topology.verify(on: connection, for: user) }
            #expect(missing?.queues == names)
            _ = try topology.declare(on: connection)
            for queue in topology.queues where !names.contains(queue.name) {
                try connection.deleteQueue(queue.name)
            }
            #expect(try topology.verify(on: connection, for: user) == names)
        }
    }

    @Test func anotherSettingIsNamedAndNothingIsDeleted() throws {
        try withTopology { connection, topology in
            let delay = topology.names.delay(DelayStep(seconds: 1))
            try connection.declareQueue(
                delay,
                arguments: [
                    ("x-queue-type", "quorum"), ("x-message-ttl", 7000), ("x-dead-letter-exchange", ""),
                    ("x-dead-letter-routing-key", .string(topology.names.retry)),
                    ("x-dead-letter-strategy", "at-least-once"), ("x-overflow", "reject-publish"),
                ]
            )
            try connection.publish(
                routingKey: delay,
                properties: AMQPProperties(),
                body: Array("kept".utf8)
            )
            let error = #expect(throws: TopologyError.self) {
                try topology.declare(on: connection, virtualHost: "/")
            }
            #expect(error?.code == .mismatch)
            #expect(error?.queues == [delay])
            #expect(error?.text.contains("x-message-ttl is 7000, should be 1000") == true)
            #expect(error?.text.contains("rabbitmqctl -p '/' delete_queue \(delay)") == true)
            // What is there is compared before anything is made.
            let missing = #expect(throws: TopologyError.self) {
                try topology.verify(on: connection, for: .installation)
            }
            #expect(missing?.queues.contains(topology.names.retry) == true)
            #expect(missing?.queues.contains(delay) == false)
            try connection.reopenChannel()
            let kept = try connection.get(queue: delay)
            #expect(kept?.body == Array("kept".utf8))
        }
    }

    @Test func delayQueuesOfAnEarlierBuildAreRecognisedAndNothingIsMadeBesideThem() throws {
        try withTopology([DelayStep(seconds: 1), DelayStep(seconds: 60)]) { connection, topology in
            let delay = topology.names.delay(DelayStep(seconds: 1))
            try connection.declareQueue(
                delay,
                arguments: [
                    ("x-queue-type", "quorum"), ("x-message-ttl", 1000), ("x-dead-letter-exchange", ""),
                    ("x-dead-letter-routing-key", .string(topology.names.dispatch)),
                    ("x-dead-letter-strategy", "at-least-once"), ("x-overflow", "reject-publish"),
                ]
            )
            let error = #expect(throws: TopologyError.self) {
                try topology.declare(on: connection, virtualHost: "/")
            }
            #expect(error?.code == .earlierBuild)
            #expect(error?.text.contains("rabbitmqctl -p '/' delete_queue \(delay)") == true)
            let missing = #expect(throws: TopologyError.self) {
                try topology.verify(on: connection, for: .installation)
            }
            // All but the delay queue, and both exchanges.
            #expect(missing?.queues.count == topology.queues.count + 1)
            #expect(missing?.queues.contains(topology.names.retry) == true)
        }
    }

    @Test func eachExchangeLeadsToItsOwnQueuesAndNowhereElse() throws {
        try withTopology { connection, topology in
            _ = try topology.declare(on: connection)
            let names = topology.names
            try connection.enableConfirms()
            for (exchange, reached) in [
                (names.exchange, names.reachedByProducers), (names.replayExchange, names.reachedByReplays),
            ] {
                for key in topology.queues.map(\.name) + ["", "#", exchange] {
                    try connection.publish(
                        exchange: exchange,
                        routingKey: key,
                        properties: AMQPProperties(),
                        body: [1]
                    )
                    var isReturned = false
                    while let event = try connection.nextEvent(timeout: .seconds(30)) {
                        if case .returned = event { isReturned = true }
                        if case .confirmed = event { break }
                    }
                    #expect(isReturned == !reached.contains(key), "\(exchange) \(key)")
                }
            }
        }
    }

    @Test func anotherExchangeOfTheSameNameIsAMismatch() throws {
        try withTopology { connection, topology in
            try connection.declareExchange(topology.names.exchange, type: "fanout")
            let error = #expect(throws: TopologyError.self) { try topology.declare(on: connection) }
            #expect(error?.code == .mismatch)
            #expect(error?.queues == [topology.names.exchange])
            #expect(error?.text.contains("type is fanout, should be direct") == true, "\(error)")
        }
    }

    @Test func aClassicQueueOfTheSameNameIsAMismatch() throws {
        try withTopology { connection, topology in
            try connection.declareQueue(topology.names.rejected, arguments: [("x-queue-type", "classic")])
            let error = #expect(throws: TopologyError.self) { try topology.declare(on: connection) }
            #expect(error?.code == .mismatch)
            #expect(error?.queues == [topology.names.rejected])
            #expect(error?.text.contains("x-queue-type is classic, should be quorum") == true, "\(error)")
        }
    }

    @Test func delayedMessagesComeBackToTheRetryQueue() throws {
        try withTopology { connection, topology in
            _ = try topology.declare(on: connection)
            try connection.publish(
                routingKey: topology.names.delay(DelayStep(seconds: 1)),
                properties: AMQPProperties(messageID: "m", headers: [("x-waybill-attempt", 2)]),
                body: [1, 2, 3]
            )
            try connection.startConsuming(queue: topology.names.retry, consumerTag: "c")
            guard case .delivery(let delivery) = try connection.nextEvent(timeout: .seconds(30)) else {
                Issue.record("nothing came back")
                return
            }
            #expect(delivery.body == [1, 2, 3])
            #expect(delivery.consumerTag == "c")
            #expect(delivery.properties.messageID == "m")
            #expect(delivery.properties[header: "x-waybill-attempt"] == 2)
            #expect(delivery.properties[header: "x-first-death-reason"] == "expired")
        }
    }

    @Test func poisonEndsInTheRejectedQueue() throws {
        try withTopology { connection, topology in
            _ = try topology.declare(on: connection)
            try connection.publish(routingKey: topology.names.dispatch, properties: AMQPProperties(), body: [9])
            try connection.startConsuming(queue: topology.names.dispatch, consumerTag: "c")
            for _ in 0...Topology.deliveryLimit {
                guard case .delivery(let delivery) = try connection.nextEvent(timeout: .seconds(30)) else {
                    Issue.record("the message was given up too early")
                    return
                }
                try connection.reject(delivery.deliveryTag, requeue: true)
            }
            try connection.startConsuming(queue: topology.names.rejected, consumerTag: "r")
            guard case .delivery(let rejected) = try connection.nextEvent(timeout: .seconds(30)) else {
                Issue.record("nothing was rejected")
                return
            }
            #expect(rejected.body == [9])
            #expect(rejected.properties[header: "x-first-death-reason"] == "delivery_limit")
        }
    }
}
