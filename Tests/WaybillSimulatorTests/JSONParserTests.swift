import Testing
import WaybillSimulator

@Suite struct JSONParserTests {
    func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test func readsEveryKindOfValue() throws {
        let value = try parse(#" {"a":[1,-2.5,1e2,true,false,null],"b":{"c":"x"}} "#)
        #expect(value["a"] == .array([.integer(1), .number(-2.5), .number(100), .bool(true), .bool(false), .null]))
        #expect(value["b"]?["c"] == .string("x"))
        #expect(value["d"] == nil)
    }

    @Test func readsEscapes() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "1.", ".5", "+1", "1e", "tru", "\"a", "\"\\x\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\u{1}\"", "{} {}", "{a:1}", "nul", "'a'", "1e999",
    ])
    func refuses(text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
    }

    @Test func refusesTextThatIsNotUTF8() {
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test func refusesDepth() throws {
        _ = try parse(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 33)) }
    }

    @Test func saysWhere() {
        let error = #expect(throws: JSONSyntaxError.self) { try parse("{\n  \"a\": x}") }
        #expect(error?.line == 2)
        #expect(error?.column == 8)
    }
}
