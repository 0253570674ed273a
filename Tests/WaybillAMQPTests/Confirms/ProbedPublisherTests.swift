import Testing
import WaybillAMQP

/// What an alarm does to it, `scripts/faults.sh` tries.
@Suite(.enabled(if: Broker.isAvailable)) struct ProbedPublisherTests {
    @Test func aBrokerIsKnownToTakeMessagesBeforeAnythingIsPublished() throws {
        try Broker.withQueue { connection, queue in
            var publisher = try ProbedPublisher(try Broker.endpoint())
            defer { publisher.close() }
            #expect(publisher.finding == .unknown)
            let deadline = ContinuousClock.now + .seconds(20)
            while publisher.finding != .takes, .now < deadline { try publisher.tend() }
            #expect(publisher.finding == .takes)
            let publication = AMQPPublication(routingKey: queue, properties: AMQPProperties(), body: [1])
            try publisher.publish([publication, publication], patience: .seconds(20)) { _ in }
            try publisher.tend()
            #expect(publisher.finding == .takes)
            // The questions are in no queue.
            #expect(try connection.inspectQueue(queue).messages == 2)
        }
    }
}
