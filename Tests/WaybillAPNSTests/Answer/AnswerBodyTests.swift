import Testing
import WaybillAPNS

@Suite("The body of a refusal")
struct AnswerBodyTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let body: String
        let reason: String?
        let timestamp: Int64?
        var testDescription: String { body }

        init(_ body: String, _ reason: String?, _ timestamp: Int64? = nil) {
            self.body = body
            self.reason = reason
            self.timestamp = timestamp
        }
    }

    static let rows: [Row] = [
        Row(#"{"reason":"BadDeviceToken"}"#, "BadDeviceToken"),
        Row(#"{"reason":"Unregistered","timestamp":1700000000123}"#, "Unregistered", 1_700_000_000_123),
        Row(#" { "timestamp" : 17 , "reason" : "ExpiredToken" } "#, "ExpiredToken", 17),
        Row(#"{"detail":{"a":["]","}"]},"more":[1,{"x":2}],"reason":"Late"}"#, "Late"),
        Row(#"{"a":true,"b":null,"c":-1.5e3,"reason":"Late"}"#, "Late"),
        Row(#"{"reason":"Ta\u0062 \"\\\/\u00e9 \ud83d\ude00"}"#, "Tab \"\\/é 😀"),
        Row(#"{"reason":"\ud83dx"}"#, "\u{FFFD}x"),
        Row(#"{"reason":"A","timestamp":1.5}"#, "A"),
        Row(#"{"reason":"A","timestamp":"17"}"#, "A"),
        Row(#"{"reason":"A","timestamp":99999999999999999999}"#, "A"),
        // What was read before the fault stands.
        Row(#"{"reason":"A","timestamp":17"#, "A"),
        Row(#"{"reason":"A","timestamp":17,"#, "A", 17),
        Row(#"{"reason":"A" oops"#, "A"),
        Row(#"{"reason":"cut off"#, nil),
        Row(#"{"reason":17}"#, nil),
        Row(#"{"reason":""}"#, nil),
        Row(#"{"reason":"\q"}"#, nil),
        Row(#"{}"#, nil),
        Row(#"[]"#, nil),
        Row(#"<html>Bad Gateway</html>"#, nil),
        Row("", nil),
        Row("{", nil),
    ]

    @Test("Reads what it can and never fails", arguments: rows)
    func body(row: Row) {
        let body = Array(row.body.utf8).withUnsafeBytes(APNSAnswerBody.init)
        #expect(body.reason?.rawValue == row.reason)
        #expect(body.timestamp == row.timestamp)
    }

    @Test("Survives deep nesting and bytes that are no UTF-8")
    func hostile() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(deep.withUnsafeBytes(APNSAnswerBody.init).reason == nil)
        let noText: [UInt8] = Array(#"{"reason":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
        #expect(noText.withUnsafeBytes(APNSAnswerBody.init).reason?.rawValue == "\u{FFFD}\u{FFFD}")
    }
}
