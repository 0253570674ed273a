import Testing
import WaybillEncoding

struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 §10, both ways",
        arguments: zip(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
        )
    )
    func vectors(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test("The first alphabet, not that of URLs")
    func alphabet() {
        #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
        #expect(Base64.decode("++//") == [0xFB, 0xEF, 0xFF])
    }

    @Test(
        "Nothing else is read",
        arguments: ["Zg", "Zg=", "Zg===", "Z===", "Zh==", "Zm9v=", "--__", "Zm 9", "=Zg=", "Zg=a"]
    )
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    /// RFC 4648 §10, in the URL alphabet and without padding.
    @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("~~?", "fn4_")])
    func base64URLGoesThereAndBack(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9v+", "Zm 9v"])
    func whatIsNoBase64URLIsRefused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
