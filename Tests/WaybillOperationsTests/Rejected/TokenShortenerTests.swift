import Testing
import WaybillOperations

@Suite("Device tokens in bodies that nobody could read")
struct TokenShortenerTests {
    private static let token = String(repeating: "a1B2c3d4", count: 8)

    @Test(
        "what may be a token is cut to its beginning, and nothing else is touched",
        arguments: [
            (#"[{"device_token":"\#(token)","message":"cut"#, #"[{"device_token":"a1B2c3d4…","message":"cut"#),
            (token, "a1B2c3d4…"), (token + token, "a1B2c3d4…"), ("\(token) \(token)", "a1B2c3d4… a1B2c3d4…"),
            (String(repeating: "f", count: 31), String(repeating: "f", count: 31)),
            (String(repeating: "f", count: 32), "ffffffff…"),
            ("6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60", "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"), ("Grüße 👋", "Grüße 👋"),
            ("", ""),
        ]
    )
    func shortened(_ text: String, _ expected: String) {
        #expect(TokenShortener.shorten(text) == expected)
    }
}
