import Testing
import WaybillAMQP
import WaybillMessages
import WaybillOperations

@testable import waybill

@Suite("The table of rejected messages")
struct RejectedTableTests {
    private static func message(_ position: Int, id: String?, client: String?, detail: String) -> RejectedMessage {
        var properties = AMQPProperties(messageID: id, userID: client.map { "\($0)-app" })
        properties.headers = [
            ("x-waybill-reason", .string("unknown_lane")), ("x-waybill-detail", .string(detail)),
        ]
        if let client { properties.headers.append(("x-waybill-client", .string(client))) }
        return RejectedMessage(
            AMQPDelivery(
                deliveryTag: UInt64(position),
                isRedelivered: false,
                exchange: "",
                routingKey: "waybill.rejected",
                properties: properties,
                body: [UInt8](repeating: 32, count: position)
            ),
            position: position,
            names: QueueNames(prefix: "waybill")
        )
    }

    private static let messages = [
        message(
            1,
            id: "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60",
            client: "acme",
            detail: "lane: parcel is not configured"
        ),
        message(12, id: nil, client: nil, detail: String(repeating: "word ", count: 60)),
    ]

    @Test("it fits the terminal", arguments: [40, 50, 60, 80, 100, 120, 160, 250])
    func width(width: Int) {
        let lines = RejectedTable(width: width).lines(Self.messages)
        #expect(lines.count == 3)
        for line in lines { #expect(Cell.width(line) <= width, "\(line)") }
        #expect(lines[0].contains("ID"))
    }

    @Test("on a screen a body has its hidden characters written out, and a long one is cut; piped it is as it is")
    func body() {
        // In words: so many characters in a row could be a token.
        let text = "{\n\t\"a\u{1b}\u{202e}\": \"" + String(repeating: "x ", count: 25_000) + "\"}"
        let message = RejectedMessage(
            AMQPDelivery(
                deliveryTag: 1,
                isRedelivered: false,
                exchange: "",
                routingKey: "waybill.rejected",
                properties: AMQPProperties(),
                body: Array(text.utf8)
            ),
            position: 1,
            names: QueueNames(prefix: "waybill")
        )
        let shown = message.page(isFull: false, isOnScreen: true)
        #expect(shown.contains("{\n\t\"a[U+001B][U+202E]\": \"x x"))
        #expect(shown.utf8.count < 12_000 && shown.hasSuffix("… (50013 characters)"))
        let whole = message.page(isFull: true, isOnScreen: true)
        #expect(whole.contains("[U+202E]") && whole.hasSuffix("x x \"}"))
        #expect(message.page(isFull: false, isOnScreen: false).hasSuffix("\n\n" + text))
    }

    @Test("piped, every message has its id and everything else whole")
    func whole() {
        let lines = RejectedTable(width: nil).lines(Self.messages)
        #expect(lines[1].contains("6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"))
        #expect(lines[1].contains("client acme, user acme-app"))
        #expect(lines[2].contains(Self.messages[1].id))
        #expect(Self.messages[1].id.wholeMatch(of: /sha256:[0-9a-f]{16}/) != nil)
    }
}
