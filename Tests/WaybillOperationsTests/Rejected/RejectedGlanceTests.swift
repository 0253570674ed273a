import Testing
import WaybillAMQP
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMessages

@testable import WaybillOperations

@Suite("What lies in the rejected queue of a batch")
struct RejectedGlanceTests {
    private static func message(
        _ id: String?,
        batch: String?,
        reason: String = "unknown_lane"
    ) -> RejectedMessage {
        var properties = AMQPProperties()
        properties.messageID = id
        properties.append(.reason, .string(reason))
        if let batch { properties.append(.batch, .string(batch)) }
        let delivery = AMQPDelivery(
            deliveryTag: 1,
            isRedelivered: false,
            exchange: "",
            routingKey: "waybill.rejected",
            properties: properties,
            body: []
        )
        return RejectedMessage(delivery, position: 1, names: QueueNames(prefix: "waybill"))
    }

    @Test(
        "a message is found by its batch, and by its message-id",
        arguments: [
            ("bl-3", nil, true), ("bl-4", nil, false), ("m-1", "bl-3", true), ("bl-3", "other", true),
            (nil, "bl-3.2", true), (nil, nil, false), ("BL-3", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func found(id: String?, batch: String?, isFound: Bool) {
        let glance = RejectedGlance([Self.message(id, batch: batch)])
        #expect(glance.messages(of: "bl-3", .all).isEmpty == !isFound)
        // Whose it is nobody knows.
        #expect(glance.messages(of: "bl-3", .clients(["acme"])).isEmpty)
    }

    @Test("a reason is a batch's own where all that was rejected for it is of the batch, and all of that is known")
    func ownReasons() {
        let messages = [
            Self.message("a", batch: "bl-3"), Self.message("b", batch: "bl-3.2"),
            Self.message("c", batch: "bl-3", reason: "not_json"), Self.message("d", batch: nil, reason: "not_json"),
        ]
        #expect(RejectedGlance(messages, total: 4).reasons(ofNoneBut: "bl-3") == ["unknown_lane"])
        #expect(RejectedGlance(messages, total: 5).reasons(ofNoneBut: "bl-3").isEmpty)
        #expect(RejectedGlance(messages, isHeldElsewhere: true).reasons(ofNoneBut: "bl-3").isEmpty)
    }

    @Test(
        "what to do is done for all messages of the batch",
        arguments: [
            (1, ["unknown_lane"], "--id m-1", nil), (3, ["unknown_lane"], "--reason unknown_lane", nil),
            (2, [], "--id m-1 --id m-2", nil), (5, [], "--id m-1 --id m-2 --id m-3 --id m-4 --id m-5", nil),
            (
                7, ["not_json"], "--id m-1 --id m-2 --id m-3 --id m-4 --id m-5",
                "That names 5 of them; there are 2 more: ask again when these have gone."
            ),
        ] as [(Int, Set<String>, String, String?)]
    )
    func advice(count: Int, own: Set<String>, options: String, last: String?) {
        let messages = RejectedGlance((1...count).map { Self.message("m-\($0)", batch: "bl-3") })
            .messages(of: "bl-3", .all)
        let next = StoryAdvice.next(ofRejected: messages, ownReasons: own, .operators)
        #expect(next[1].contains("`waybill rejected drop \(options)`"), "\(next)")
        #expect(next[1].contains("`waybill rejected replay \(options)`"), "\(next)")
        #expect(next.dropFirst(2).first == last, "\(next)")
    }

    @Test(
        "where several messages have an id, all of them are said to be meant, and whether they are another batch's, too",
        arguments: [
            (
                [("m-1", "bl-3"), ("m-1", "bl-3")], "--id m-1 --same-id",
                "2 messages have the id m-1, and `--same-id` means all of them."
            ),
            (
                [("m-1", "bl-3"), ("m-1", "bl-4")], "--id m-1 --same-id",
                "2 messages have the id m-1, and `--same-id` means all of them, 1 of which is not of this batch: look at each before."
            ),
            (
                [("m-1", "bl-3"), ("m-2", "bl-3"), ("m-2", "bl-4"), ("m-2", "bl-4")], "--id m-1 --id m-2 --same-id",
                "3 messages have the id m-2, and `--same-id` means all of them, 2 of which are not of this batch: look at each before."
            ),
            ([("m-1", "bl-3"), ("m-2", "bl-4"), ("m-2", "bl-4")], "--id m-1", nil),
        ] as [([(String, String)], String, String?)]
    )
    func sharedIDs(queue: [(String, String)], options: String, words: String?) {
        let messages = RejectedGlance(queue.map { Self.message($0.0, batch: $0.1) }).messages(of: "bl-3", .all)
        let next = StoryAdvice.next(ofRejected: messages, .operators)
        #expect(next[1].contains("`waybill rejected drop \(options)`"), "\(next)")
        #expect(next[1].contains("`waybill rejected replay \(options)`"), "\(next)")
        #expect(next.dropFirst(2).first == words, "\(next)")
        // A reason asks for no id.
        let byReason = StoryAdvice.next(ofRejected: messages, ownReasons: ["unknown_lane"], .operators)
        #expect(messages.count == 1 || !byReason.joined().contains("--same-id"), "\(byReason)")
    }

    @Test("what another process holds is not called nothing")
    func held() {
        let outcomes: [RejectedGlance.Outcome] = [
            .success(RejectedGlance([], isHeldElsewhere: true)),
            .failure(RejectedGlance.Failure("somebody", isHeldElsewhere: true)),
        ]
        for outcome in outcomes {
            let words = StoryAdvice.unseen(outcome, .operators)
            #expect(outcome.isHeldElsewhere && words.first?.contains("another process holds its messages") == true)
        }
        let free = RejectedGlance.Outcome.success(RejectedGlance([]))
        #expect(!free.isHeldElsewhere && StoryAdvice.unseen(free, .operators).isEmpty)
    }
}
