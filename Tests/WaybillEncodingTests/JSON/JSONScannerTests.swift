import Testing
import WaybillEncoding

struct JSONScannerTests {
    /// Steps over one value and what may follow it.
    static func scan(_ bytes: [UInt8], maxDepth: Int = 32) -> Result<JSONValue.Kind, JSONFault> {
        bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONFault) in
                var scanner = JSONScanner(bytes, maxDepth: maxDepth)
                let value = try scanner.value()
                try scanner.finish()
                return value.kind
            }
        }
    }

    static func fault(_ bytes: [UInt8], maxDepth: Int = 32) -> JSONFault? {
        if case .failure(let fault) = scan(bytes, maxDepth: maxDepth) { fault } else { nil }
    }

    @Test(arguments: [
        "0", "-0", "7", "-12.5e+3", "1E9", "1e-9", "0.0", "1e999", "123456789012345678901234567890", "true", "false",
        "null", "\"\"", "\"plain text of more than eight bytes\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\\ud83d\\udc4b\"", "\"é€👋\u{10FFFF}\u{7F}\"", "[]", "{}", "[[],[[]],{}]", " [ 1 , 2 ] ", "\t\r\n{\"a\" : 1}",
        "{\"a\":1,\"a\":2}", "{\"\":{\"\":[]}}", "[{\"a\":[true,null]},\"b\"]", "[\"\\ud83d\"]",
    ])
    func wellFormed(json: String) {
        #expect(Self.fault(Array(json.utf8)) == nil)
    }

    /// `false` is for certain; `true` asks somebody to compare.
    @Test(arguments: [
        ("{}", false), ("{\"a\":1}", false), ("{\"a\":1,\"b\":2,\"aps\":{\"a\":1,\"a\":2}}", false),
        ("{\"aps\":1,\"order\":2,\"aps\":3}", true), ("{\"\":1,\"\":2}", true), ("{\"\\u0061\":1}", true),
        ("[{\"a\":1,\"a\":2}]", false), ("{\"a\":[],\"b\":{},\"a\":1}", true),
    ])
    func twoNamesOfAnObject(json: String, mayBeTheSame: Bool) throws {
        let value = try Array(json.utf8).withUnsafeBufferPointer { bytes throws(JSONFault) in
            var scanner = JSONScanner(bytes, maxDepth: 32)
            return try scanner.value()
        }
        #expect(value.mayHaveNameTwice == mayBeTheSame)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
            ("nulL", .unexpectedByte, 3),
            ("True", .unexpectedByte, 0), ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0),
            ("-", .unexpectedEnd, 1),
            ("-a", .badNumber, 1), ("1.", .unexpectedEnd, 2), ("1.e5", .badNumber, 2), ("1e", .unexpectedEnd, 2),
            ("1e+", .unexpectedEnd, 3), ("01", .badNumber, 1), ("-01", .badNumber, 2), ("0x10", .trailingBytes, 1),
            ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
            ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2), ("\"\\x\"", .badEscape, 1),
            ("\"\\u12g4\"", .badEscape, 5), ("\"\\u12", .unexpectedEnd, 5), ("\"a\nb\"", .controlCharacter, 2),
            ("\"12345678\u{1}\"", .controlCharacter, 9), ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
            ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3),
            ("[1}", .unexpectedByte, 2), ("{", .unexpectedEnd, 1), ("{\"a\"", .unexpectedEnd, 4),
            ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":1,}", .unexpectedByte, 7),
            ("{\"a\" 1}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1),
            ("{\"a\":1]", .unexpectedByte, 6), ("]", .unexpectedByte, 0), ("[]]", .trailingBytes, 2),
            ("{} {}", .trailingBytes, 3), ("1 2", .trailingBytes, 2), ("\u{FEFF}1", .unexpectedByte, 0),
            ("[1] // comment", .trailingBytes, 4), ("\u{A0}1", .unexpectedByte, 0),
        ] as [(String, JSONFault.Kind, Int)]
    )
    func malformed(json: String, kind: JSONFault.Kind, offset: Int) {
        #expect(Self.fault(Array(json.utf8)) == JSONFault(kind: kind, offset: offset))
    }

    /// Each sequence, in a string that the fast loop has already entered.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x91],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]]
    )
    func badUTF8(sequence: [UInt8]) {
        let body = Array("\"123456789".utf8) + sequence + Array("\"".utf8)
        #expect(Self.fault(body)?.kind == .badUTF8)
        #expect(Self.fault(body)?.offset == 10)
    }

    @Test func depth() {
        func nested(_ depth: Int, _ open: String, _ close: String, around core: String = "") -> [UInt8] {
            Array((String(repeating: open, count: depth) + core + String(repeating: close, count: depth)).utf8)
        }
        #expect(Self.fault(nested(32, "[", "]")) == nil)
        #expect(Self.fault(nested(33, "[", "]")) == JSONFault(kind: .tooDeep, offset: 32))
        for (open, close) in [("[", "]"), ("{\"\":", "}")] {
            // The word that holds a bit for each level is full.
            #expect(Self.fault(nested(64, open, close, around: "0"), maxDepth: 1000) == nil)
            #expect(Self.fault(nested(65, open, close, around: "0"), maxDepth: 1000)?.kind == .tooDeep)
        }
        #expect(Self.fault(nested(100_000, "[", "]")) == JSONFault(kind: .tooDeep, offset: 32))
        #expect(Self.fault(Array(String(repeating: "{\"a\":", count: 100_000).utf8))?.kind == .tooDeep)
        // Breadth is not depth.
        #expect(Self.fault(Array("[\(String(repeating: "[[]],", count: 1000))[]]".utf8)) == nil)
    }

    @Test(arguments: [
        ("\"\\ud83d\"", true), ("\"\\udc4b\"", true), ("\"\\ud83d\\ud83d\\udc4b\"", true), ("\"\\ud83dx\"", true),
        ("\"\\ud83d\\n\"", true), ("\"\\udc4b\\ud83d\"", true), ("\"\\ud83d\\udc4b\"", false), ("\"\\uD7FF\"", false),
        ("\"\\uE000\"", false), ("{\"a\":[\"\\ud83d\"]}", true), ("{\"\\ud83d\":1}", true), ("[[\"\\ud83d\"],1]", true),
    ])
    func loneSurrogates(json: String, expected: Bool) throws {
        let found = try Array(json.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maxDepth: 32)
            return try scanner.value().hasLoneSurrogate
        }
        #expect(found == expected)
    }

    /// The eight-byte steps find each special byte at each place.
    @Test func plainTextEndsAtEverySpecialByte() {
        for position in 0..<20 {
            for special: UInt8 in [0x00, 0x1F, 0x22, 0x5C, 0x80, 0xFF] {
                var body = [UInt8](repeating: UInt8(ascii: "!"), count: 22)
                body[0] = UInt8(ascii: "\"")
                body[position + 1] = special
                let fault = Self.fault(body)
                let expected: JSONFault.Kind
                switch special {
                case 0x22: expected = .trailingBytes
                case 0x5C: expected = .badEscape
                case 0x80, 0xFF: expected = .badUTF8
                default: expected = .controlCharacter
                }
                #expect(fault?.kind == expected, "\(special) at \(position)")
            }
        }
    }

    @Test(arguments: [
        ("plain", "plain"), ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\u{8}\u{C}\n\r\t"), ("\\u0041\\u00e9\\u20AC", "Aé€"),
        ("\\ud83d\\udc4b!", "👋!"), ("\\ud83d!", "\u{FFFD}!"), ("\\ud83d\\u0041", "\u{FFFD}A"), ("\\u0000", "\0"),
    ])
    func unescaping(source: String, expected: String) {
        var text: [UInt8] = []
        Array(source.utf8).withUnsafeBufferPointer { JSONText.appendUnescaped($0, to: &text) }
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("a\"b\\c", "\"a\\\"b\\\\c\""), ("\n\t\u{1}\u{1F}", "\"\\n\\t\\u0001\\u001f\""), ("é👋/", "\"é👋/\""),
    ])
    func escaping(text: String, expected: String) {
        var json: [UInt8] = []
        JSONText.appendString(text.utf8, to: &json)
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("a\n\"\u{1B}[2J", #""a\n\"\u001b[2J""#),
        ("\u{7F}\u{85}\u{9B}", #""\u007f\u0085\u009b""#),
        ("\u{2028}é\u{2029}📦", #""\u2028é\u2029📦""#), ("\u{A0}", "\"\u{A0}\""),
    ])
    func lineSafe(text: String, expected: String) {
        var json: [UInt8] = []
        JSONText.appendLineSafeString(text, to: &json)
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("10", 10), ("-7", -7), ("10.0", 10), ("1e1", 10), ("100E-1", 10), ("1.5", nil),
            ("1e-1", nil), ("9007199254740992", 9_007_199_254_740_992), ("1e999", nil), ("12345678901234567890", nil),
        ] as [(String, Int64?)]
    )
    func integers(text: String, expected: Int64?) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { JSONNumber.integer($0) } == expected)
    }
}
