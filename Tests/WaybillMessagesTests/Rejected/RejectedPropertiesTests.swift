import Testing
import WaybillAMQP

@testable import WaybillMessages

/// A message that nobody can read must reach the rejected queue, whatever its producer has written on it.
struct RejectedPropertiesTests {
    private func rejected(_ properties: AMQPProperties) -> AMQPProperties {
        RejectedProperties.make(
            from: properties,
            reason: "not_json",
            detail: "at byte 0",
            firstSeen: 7,
            origin: RejectedProperties.Origin(queue: "waybill.dispatch", producer: "acme-app", client: "acme")
        )
    }

    @Test func whatTheProducerWroteIsKept() {
        var properties = AMQPProperties(contentType: "text/plain", messageID: "m", appID: "a", timestamp: 5)
        properties.headers = [("x-trace", "t"), ("x-waybill-reason", "mine"), ("n", .array([1, .table(["a": true])]))]
        let rejected = rejected(properties)
        #expect(rejected.contentType == "text/plain")
        #expect(rejected.messageID == "m")
        #expect(rejected.appID == "a")
        #expect(rejected.timestamp == 5)
        #expect(rejected.isPersistent)
        #expect(
            rejected.headers.map(\.name).sorted() == [
                "n", "x-trace", "x-waybill-client", "x-waybill-detail", "x-waybill-first-seen", "x-waybill-producer",
                "x-waybill-queue", "x-waybill-reason",
            ]
        )
        #expect(rejected[header: "x-waybill-reason"] == "not_json")
        #expect(rejected[header: "x-waybill-detail"] == "at byte 0")
        #expect(rejected[header: "x-waybill-first-seen"] == 7)
    }

    @Test func nothingExpiresInTheRejectedQueue() {
        #expect(rejected(AMQPProperties(expiration: "1000", isPersistent: false)).expiration == nil)
    }

    /// RabbitMQ delivers to the queues that these name, which may be the dispatch queue again.
    @Test func nothingIsCopiedToFurtherQueues() {
        var properties = AMQPProperties()
        properties.headers = [("CC", .array(["waybill.dispatch"])), ("BCC", "not even an array"), ("cc", "kept")]
        #expect(rejected(properties).headers.contains { $0.name == "CC" || $0.name == "BCC" } == false)
        #expect(rejected(properties)[header: "cc"] == "kept")
    }

    @Test func whatCannotBePublishedAgainIsLeftOut() {
        let long = String(repeating: "\u{FFFD}", count: 86)
        var properties = AMQPProperties(
            contentType: long,
            contentEncoding: long,
            messageID: long,
            correlationID: long,
            type: long,
            appID: long
        )
        properties.headers = [
            (long, "name"), ("nested", .array([.table([long: 1])])), ("good", 1),
            ("large", .bytes([UInt8](repeating: 7, count: 70_000))),
        ]
        let rejected = rejected(properties)
        let texts = [
            rejected.contentType, rejected.contentEncoding, rejected.messageID, rejected.correlationID, rejected.type,
            rejected.appID,
        ]
        #expect(texts.allSatisfy { $0 == nil })
        #expect(rejected.headers.map(\.name).filter { !$0.hasPrefix("x-waybill-") } == ["good"])
    }

    /// Each fits, all together do not: a frame holds 128 KiB.
    @Test func theHeadersStayBelowOneFrame() {
        var properties = AMQPProperties()
        properties.headers = (0..<100).map { ("h\($0)", .string(String(repeating: "x", count: 2000))) }
        let kept = rejected(properties).headers.filter { $0.name.hasPrefix("h") }
        #expect((20...33).contains(kept.count))
    }
}
