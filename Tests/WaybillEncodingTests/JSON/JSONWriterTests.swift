import FoundationEssentials
import Testing
import WaybillEncoding
import WaybillTestSupport

@Suite("Writing JSON")
struct JSONWriterTests {
    private static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "Strings escape what RFC 8259 asks for and nothing else",
        arguments: [
            ("", ""), ("plain", "plain"), ("a\"b", #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a/b", "a/b"), ("\u{8}", #"\b"#),
            ("\t", #"\t"#), ("\n", #"\n"#), ("\u{c}", #"\f"#), ("\r", #"\r"#), ("\r\n", #"\r\n"#),
            ("\u{0}", #"\u0000"#), ("\u{1}", #"\u0001"#), ("\u{b}", #"\u000b"#), ("\u{1f}", #"\u001f"#),
            ("\u{7f}", "\u{7f}"), ("é", "é"), ("\u{2028}", "\u{2028}"), ("日本", "日本"), ("👩‍👩‍👧", "👩‍👩‍👧"),
            ("<&>'", "<&>'"),
        ]
    )
    func escapes(value: String, written: String) {
        #expect(Self.text { $0.member("k", value) }.utf8.elementsEqual("{\"k\":\"\(written)\"}".utf8))
    }

    @Test(
        "Numbers are written exactly and shortly",
        arguments: [
            (0, "0"), (1, "1"), (-1, "-1"), (0.5, "0.5"), (0.1, "0.1"), (-0.25, "-0.25"),
            (1.0 / 3, "0.3333333333333333"),
            (100, "100"), (1e15, "1000000000000000"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
            (1.5e-7, "1.5e-07"),
            (9_007_199_254_740_992, "9007199254740992"),
        ] as [(Double, String)]
    )
    func numbers(value: Double, written: String) {
        #expect(Self.text { $0.member("k", value) } == "{\"k\":\(written)}")
    }

    @Test("Absent values and false flags leave nothing behind, not even a comma")
    func absent() {
        let text = Self.text { json in
            json.member("a", nil as String?)
            json.flag("b", false)
            json.member("c", 1)
            json.member("d", nil as Double?)
            json.beginObject("e")
            json.member("f", nil as [String]?)
            json.endObject()
            json.member("g", ["x", "y"])
            json.members("".utf8)
            json.members(#""h":null"#.utf8)
        }
        #expect(text == #"{"c":1,"e":{},"g":["x","y"],"h":null}"#)
    }

    private struct Everything: Codable, Equatable {
        var text: String
        var list: [String]
        var number: Double
        var integer: Int
    }

    @Test("What is written reads back, for random values", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        for _ in 0..<400 {
            let value = Everything(
                text: generator.text(),
                list: (0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.text() },
                number: generator.number(),
                integer: Int(truncatingIfNeeded: generator.next())
            )
            let json = Self.text { json in
                json.member("text", value.text)
                json.member("list", value.list)
                json.member("number", value.number)
                json.member("integer", value.integer)
            }
            let read = try JSONDecoder().decode(Everything.self, from: Data(json.utf8))
            // Scalar by scalar: Swift's own comparison takes canonically equal strings for the same.
            try #require(read.text.unicodeScalars.elementsEqual(value.text.unicodeScalars), "\(json)")
            try #require(read == value, "\(json)")
            let members = try JSONReader.members(of: Array(json.utf8))
            try #require(members?.map(\.name) == ["text", "list", "number", "integer"])
        }
    }
}
