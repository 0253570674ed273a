import CWaybillRabbitMQ
import Testing

@testable import WaybillAMQP

@Suite struct WireTests {
    @Test func everyTypeSurvivesTheC() throws {
        let fields: [(String, AMQPValue)] = [
            ("null", .null), ("yes", true), ("number", .int64(.min)), ("half", .double(0.5)), ("text", "grün"),
            ("empty", ""), ("bytes", .bytes([0, 255])), ("time", .timestamp(.max)),
            ("list", .array([1, "a", .array([])])),
            ("table", .table(["a": 1, "b": .table([:])])),
        ]
        let pool = WirePool()
        let decoded = TableDecoder.fields(pool.table(fields))
        #expect(decoded.map(\.name) == fields.map(\.0))
        #expect(decoded.map(\.value) == fields.map(\.1))
    }

    @Test func absentPropertiesStayAbsent() {
        let pool = WirePool()
        let properties = AMQPProperties(
            copying: AMQPProperties(messageID: "m", isPersistent: false).encoded(in: pool)
        )
        #expect(properties.messageID == "m")
        #expect(properties.contentType == nil)
        #expect(properties.timestamp == nil)
        #expect(properties.headers.isEmpty)
        #expect(!properties.isPersistent)
    }

    /// As many bytes as are no UTF-8 would be three times as many once they are repaired.
    @Test func whatIsNoTextIsNamed() throws {
        let pool = WirePool()
        var encoded = AMQPProperties(messageID: "m?n", type: "?", appID: "grün").encoded(in: pool)
        #expect(AMQPProperties(copying: encoded).brokenText == nil)
        for bytes in [encoded.message_id, encoded.type] {
            let text = try #require(bytes.bytes).assumingMemoryBound(to: UInt8.self)
            for place in 0..<bytes.len where text[place] == UInt8(ascii: "?") { text[place] = 0xFF }
        }
        let properties = AMQPProperties(copying: encoded)
        #expect(properties.brokenText == "message-id")
        #expect(properties.messageID == "m\u{FFFD}n")
        #expect(properties.appID == "grün")
        encoded.message_id = pool.bytes("m")
        #expect(AMQPProperties(copying: encoded).brokenText == "type")
        encoded.reply_to = encoded.type
        encoded.type = pool.bytes("t")
        encoded._flags |= 1 << 9
        #expect(AMQPProperties(copying: encoded).brokenText == "reply-to")
    }

    @Test func deepNestingIsCutOff() throws {
        var value: AMQPValue = "bottom"
        for _ in 0..<1000 { value = .array([value]) }
        let pool = WirePool()
        var decoded = try #require(TableDecoder.fields(pool.table([("deep", value)])).first).value
        var depth = 0
        while case .array(let inner) = decoded, let first = inner.first {
            decoded = first
            depth += 1
        }
        #expect(decoded == .null)
        #expect(depth == TableDecoder.depthLimit - 1)
    }
}
