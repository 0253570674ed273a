import Testing
import WaybillEncoding

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("there and back", arguments: ["", "plain", "p@ss/wörd:%", "a b"])
    func percentEncoding(text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":/@?# ".utf8.contains($0) })
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test(
        "what the signs stand for",
        arguments: [
            ("a%2Fb", "a/b"), ("%c3%A9", "é"), ("a+b", "a+b"), ("%", nil), ("%2", nil), ("%2g", nil), ("%%41", nil),
            ("%FF", nil), ("%+1", nil),
        ]
    )
    func decoded(text: String, expected: String?) {
        #expect(PercentEncoding.decode(text) == expected)
    }

    @Test("unreserved characters stay, everything else is escaped")
    func encoded() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("../x?é") == "..%2Fx%3F%C3%A9")
    }

    @Test("bytes need not be text")
    func bytes() {
        #expect(PercentEncoding.bytes(of: "a%00%ff") == [0x61, 0x00, 0xFF])
    }
}
