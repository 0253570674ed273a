import Testing
import WaybillAMQP

@testable import WaybillMessages

/// Headers that anybody can write are believed where only Waybill, or the broker, can have written them.
struct RejectionTests {
    private static let queues = QueueNames(prefix: "waybill")

    /// What a producer can put on a message to make it look like Waybill's.
    private static let forged: [(name: String, value: AMQPValue)] = [
        ("x-waybill-reason", "not_json"), ("x-waybill-detail", "none"), ("x-waybill-queue", "waybill.invalid-tokens"),
        ("x-waybill-client", "acme"), ("x-waybill-batch", "b"), ("x-waybill-producer", "stranger"),
        ("x-waybill-first-seen", 7), ("x-waybill-attempt", 3),
    ]

    private static func died(in queue: String) -> (name: String, value: AMQPValue) {
        ("x-death", .array([.table(["queue": .string(queue), "reason": "delivery_limit"]), .table([:])]))
    }

    @Test func whatADispatcherHasRejectedIsReadAsItWasWritten() {
        var properties = AMQPProperties(messageID: "m", userID: "dispatcher")
        properties.headers = [("x-trace", "t")]
        let origin = RejectedProperties.Origin(
            queue: "waybill.dispatch",
            producer: "acme-app",
            client: "acme",
            batchID: "b"
        )
        let rejected = RejectedProperties.make(
            from: properties,
            reason: "too_large",
            detail: "d",
            firstSeen: 7,
            origin: origin
        )
        let rejection = Rejection(rejected, queues: Self.queues)
        #expect(rejection.hasOurHeaders)
        #expect((rejection.reason, rejection.detail, rejection.firstSeen) == ("too_large", "d", 7))
        #expect((rejection.queue, rejection.producer) == ("waybill.dispatch", "acme-app"))
        #expect((rejection.client, rejection.batchID) == ("acme", "b"))
        #expect(rejection.otherHeaders(of: rejected).map(\.name) == ["x-trace"])
    }

    @Test func whatTheBrokerHasMovedFromADispatchQueueSaysNothingOfItsOwn() {
        let properties = AMQPProperties(
            userID: "acme-app",
            headers: Self.forged + [Self.died(in: "waybill.dispatch")]
        )
        let rejection = Rejection(properties, queues: Self.queues)
        #expect(!rejection.hasOurHeaders)
        #expect((rejection.reason, rejection.queue) == ("delivery_limit", "waybill.dispatch"))
        #expect((rejection.detail, rejection.client, rejection.batchID) == (nil, nil, nil))
        #expect((rejection.producer, rejection.firstSeen) == ("acme-app", nil))
        #expect(rejection.otherHeaders(of: properties).count == Self.forged.count + 1)

        let replay = ReplayMessage.properties(of: properties, rejection)
        #expect(ReplayMessage.queue(for: rejection, queues: Self.queues) == "waybill.retry")
        #expect(replay[.attempt] == nil)
        #expect(replay[.replay] == true)
        #expect(replay[.producer] == "acme-app")
        #expect(replay[.firstSeen] == nil)
    }

    @Test func whatServeHasTakenFromTheThesisQueueGoesBackThere() {
        let rejected = RejectedProperties.make(
            from: AMQPProperties(messageID: "m"),
            reason: "unknown_user",
            detail: "uid: does not belong to the service, or may not be told",
            firstSeen: 7,
            origin: .init(queue: "notifire.in")
        )
        let rejection = Rejection(rejected, queues: Self.queues)
        #expect(ReplayMessage.queue(for: rejection, queues: Self.queues) == "notifire.in")
        // Not what the broker has moved from anywhere.
        let moved = Rejection(AMQPProperties(headers: [Self.died(in: "notifire.in")]), queues: Self.queues)
        #expect(ReplayMessage.queue(for: moved, queues: Self.queues) == "waybill.retry")
    }

    /// Only fan-out reads audiences, whoever has rejected them.
    @Test func anAudienceGoesBackToFanOut() {
        let rejected = RejectedProperties.make(
            from: AMQPProperties(messageID: "m"),
            reason: "unknown_lane",
            detail: "lane: android is not configured",
            firstSeen: 7,
            origin: .init(queue: "waybill.audience", producer: "acme-app", client: "acme", batchID: "day-17")
        )
        let rejection = Rejection(rejected, queues: Self.queues)
        #expect(ReplayMessage.queue(for: rejection, queues: Self.queues) == "waybill.audience")
        #expect(ReplayMessage.properties(of: rejected, rejection)[.producer] == "acme-app")
        let moved = Rejection(AMQPProperties(headers: [Self.died(in: "waybill.audience")]), queues: Self.queues)
        #expect(ReplayMessage.queue(for: moved, queues: Self.queues) == "waybill.audience")
    }

    @Test func aRetryThatTheBrokerHasMovedStaysARetryThatMayHaveBeenPushed() {
        let properties = AMQPProperties(
            messageID: "m",
            headers: Self.forged + [("x-waybill-copy", false), Self.died(in: "waybill.retry")]
        )
        let rejection = Rejection(properties, queues: Self.queues)
        #expect(rejection.hasOurHeaders)
        let replay = ReplayMessage.properties(of: properties, rejection)
        #expect(replay.messageID == "m")
        #expect(replay[.attempt] == 3)
        #expect(replay.headers.filter { $0.name == "x-waybill-copy" }.map(\.value) == [true])
        #expect((replay[.firstSeen], replay[.producer]) == (7, "stranger"))
        #expect((replay[.replay], replay[.reason], replay[.queue]) == (nil, nil, nil))
    }

    @Test func aLookAtARejectedMessageLeavesNoTraceOnItsReplay() {
        let counts: [(name: String, value: AMQPValue)] = [("x-delivery-count", 2), ("x-acquired-count", 2)]
        let ours = AMQPProperties(
            headers: [("x-waybill-reason", "unknown_lane"), ("x-waybill-queue", "waybill.dispatch"), ("own", 1)]
                + counts
        )
        let rejected = Rejection(ours, queues: Self.queues)
        #expect(ReplayMessage.properties(of: ours, rejected).headers.map(\.name) == ["own", "x-waybill-replay"])

        // What the broker has moved was with a dispatcher as often as it says.
        let moved = AMQPProperties(headers: counts + [Self.died(in: "waybill.dispatch")])
        let replay = ReplayMessage.properties(of: moved, Rejection(moved, queues: Self.queues))
        #expect(replay.headers.contains { $0.name == "x-delivery-count" })
    }

    @Test func eventsGoBackToTheirOwnQueue() {
        let properties = AMQPProperties(headers: [("x-waybill-queue", "waybill.invalid-tokens")])
        let rejection = Rejection(properties, queues: Self.queues)
        #expect(rejection.reason == "unknown")
        #expect(ReplayMessage.queue(for: rejection, queues: Self.queues) == "waybill.invalid-tokens")
    }

    @Test(arguments: [
        ("waybill.retry", "waybill.replay"), ("waybill.audience", "waybill.replay"),
        ("waybill.invalid-tokens", "waybill.replay"), ("notifire.in", ""),
    ])
    func replaysGoByTheirOwnExchange(queue: String, exchange: String) {
        #expect(ReplayMessage.exchange(to: queue, queues: Self.queues) == exchange)
    }
}
