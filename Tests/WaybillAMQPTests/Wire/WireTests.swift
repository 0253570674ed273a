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
