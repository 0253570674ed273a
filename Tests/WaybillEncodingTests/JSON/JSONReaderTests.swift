import FoundationEssentials
import Testing
import WaybillEncoding
import WaybillTestSupport

@Suite("Reading JSON")
struct JSONReaderTests {
    @Test(
        "JSON of every form is taken",
        arguments: [
            "{}", "[]", "0", "-0", "12", "-1.5", "1e9", "1E+9", "0.1e-2", "true", "false", "null", #""""#, #""a""#,
            "[1,2 , 3]", "[[],[[]],{}]", #"{"a":{"b":[{"c":null}]},"d":""}"#, #"{"":1}"#,
            #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDCE6""#, #""\ud800""#, "\"é日📦\u{7f}\"", #"{"a":1,"a":2}"#,
        ]
    )
    func valid(text: String) throws {
        #expect(try JSONReader.value(of: Array(text.utf8)) == 0..<text.utf8.count)
    }

    @Test(
        "A member that holds half of a surrogate pair says so, whatever stands before and behind it",
        arguments: [
            (#""\ud800""#, true), (#""\ud83d\udce6""#, false), (#"{"b":["\udc00"]}"#, true),
            (#"{"\ud800":1}"#, true),
            ("1", false),
        ]
    )
    func halves(value: String, isHalf: Bool) throws {
        let text = #"{"before":"\ud800","a":\#(value),"behind":"\ud800"}"#
        let members = try #require(try JSONReader.members(of: Array(text.utf8)))
        #expect(members.map(\.hasLoneSurrogate) == [true, isHalf, true])
    }

    @Test(
        "A name that is there twice is found however deep, by its path",
        arguments: [
            (#"{"a":1,"a":2}"#, "a"), (#"{"a":1,"b":{"a":1}}"#, nil),
            (#"{"b":[0,{"c":{"a":{},"x":"a","\u0061":2}}]}"#, "b.c.a"),
            ("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}", nil), (#"[{"a":1},{"a":[]}]"#, nil), ("{ }", nil), ("1", nil),
            (#""a""#, nil),
        ] as [(String, String?)]
    )
    func repeatedNames(text: String, name: String?) {
        #expect(JSONReader.repeatedName(in: Array(text.utf8)) == name)
    }

    @Test("White space around a value does not belong to it")
    func whiteSpace() throws {
        #expect(try JSONReader.value(of: Array(" \t\r\n{ } \n".utf8)) == 4..<7)
    }

    @Test(
        "Everything else is not",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,]", "[,1]", "[1 2]", "{1:2}", "{a:1}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "[1}", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "--1",
            "nul", "truee", "True", "NaN", "Infinity", "'a'", #"""#, #""a"#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\"#,
            "\"a\nb\"", "\"\u{1}\"", "{} {}", "{}x", "1 2", "\u{feff}{}", "// x\n{}", #"{"a":1}}"#, "[[]", "{{}}",
        ]
    )
    func invalid(text: String) {
        #expect(throws: JSONFault.self) { try JSONReader.value(of: Array(text.utf8)) }
    }

    @Test(
        "Bytes that are no UTF-8 are not",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]]
    )
    func invalidUTF8(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        #expect(throws: JSONFault(kind: .badUTF8, offset: 1)) { try JSONReader.value(of: text) }
    }

    @Test("The fault lies where the text goes wrong")
    func offsets() {
        #expect(throws: JSONFault(kind: .unexpectedByte, offset: 6)) {
            try JSONReader.value(of: Array(#"{"a":1]"#.utf8))
        }
        #expect(throws: JSONFault(kind: .trailingBytes, offset: 3)) { try JSONReader.value(of: Array("{} x".utf8)) }
    }

    @Test("Depth does no harm")
    func depth() throws {
        let depth = 200_000
        let deep =
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        #expect(try JSONReader.value(of: deep) == deep.indices)
        #expect(throws: JSONFault.self) { try JSONReader.value(of: deep.dropLast()) }
    }

    @Test("Members come in order, with their names read and their values in place")
    func members() throws {
        let text = #" {"a" : [1, {"x":2}] ,"\u0062\n\uD83D\uDCE6é\/":"v","a":null}"#
        let bytes = Array(text.utf8)
        let members = try #require(try JSONReader.members(of: bytes))
        #expect(members.map(\.name) == ["a", "b\n📦é/", "a"])
        #expect(
            members.map { String(decoding: bytes[$0.value], as: UTF8.self) } == [#"[1, {"x":2}]"#, #""v""#, "null"]
        )
        #expect(try JSONReader.members(of: Array("{ }".utf8)) == [])
        #expect(try JSONReader.members(of: Array("[1]".utf8)) == nil)
        #expect(try JSONReader.members(of: Array("7".utf8)) == nil)
    }

    @Test("Every escape of a name is resolved")
    func escapedName() throws {
        let members = try JSONReader.members(of: Array(#"{"\"\\\/\b\f\n\r\t\u00E9x\ud800":0}"#.utf8))
        #expect(members?.map(\.name) == ["\"\\/\u{8}\u{c}\n\r\té" + "x\u{fffd}"])
    }

    @Test("Names read as JSONDecoder reads them, for random names", arguments: [6, 7, 8] as [UInt64])
    func randomNames(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        for _ in 0..<300 {
            let name = generator.text()
            let escaped = name.utf16.map { unit in
                "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
            }.joined()
            let members = try #require(try JSONReader.members(of: Array("{\"\(escaped)\":1}".utf8)))
            try #require(members.count == 1)
            try #require(members[0].name.unicodeScalars.elementsEqual(name.unicodeScalars))
            let decoded = try JSONDecoder().decode([String: Int].self, from: Data("{\"\(escaped)\":1}".utf8))
            try #require(decoded.keys.first == members[0].name)
        }
    }
}
