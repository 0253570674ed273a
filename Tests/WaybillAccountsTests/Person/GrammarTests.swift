import Testing

@testable import WaybillAccounts

@Suite struct GrammarTests {
    @Test(arguments: ["abcd", "Ada.Lovelace", "a_b-c.9", String(repeating: "x", count: 64)])
    func isAName(text: String) {
        #expect(AccountName(text)?.text == text)
        #expect(AccountName(text)?.key == text.lowercased())
    }

    @Test(
        arguments: [
            "", "abc", String(repeating: "x", count: 65), "two words", "a%20bc", "ab\tcd", "ab\u{0}cd", "ab@cd",
            "žofie",
            "name\r\nBcc: x", "a/bcd",
        ]
    )
    func isNoName(text: String) { #expect(AccountName(text) == nil) }

    @Test(arguments: [
        ("ada@example.com", "ada@example.com", "ada@example.com"),
        ("Ada.L+push@Mail.EXAMPLE.com", "Ada.L+push@mail.example.com", "ada.l+push@mail.example.com"),
        ("o'neil@xn--bcher-kva.example", "o'neil@xn--bcher-kva.example", "o'neil@xn--bcher-kva.example"),
        ("a@b.c", "a@b.c", "a@b.c"),
    ])
    func isAnAddress(typed: String, kept: String, key: String) {
        #expect(EmailAddress(typed)?.text == kept)
        #expect(EmailAddress(typed)?.key == key)
    }

    @Test(
        arguments: [
            "", "test123", "@example.com", "ada@", "ada@localhost", "ada@@example.com", "ada@exa mple.com",
            "a b@example.com",
            "ada@example.com\r\nBcc: eve@example.com", "ada\n@example.com", "ada@example..com", "ada@-example.com",
            "ada@example-.com", "\"ada\"@example.com", "ada@[127.0.0.1]", "ada@bücher.example", "žofie@example.com",
            "ada..l@example.com", ".ada@example.com", "ada.@example.com", "<ada@example.com>", "ada,eve@example.com",
            "ada@example.com,eve@example.com",
            String(repeating: "x", count: 65) + "@example.com",
            "a@" + String(repeating: "x", count: 64) + ".com",
            "a@" + String(repeating: "abcdefgh.", count: 29) + "com",
        ]
    )
    func isNoAddress(text: String) { #expect(EmailAddress(text) == nil) }

    @Test func personalDataDoesNotPrint() throws {
        let (name, email) = (try #require(AccountName("Lovelace")), try #require(EmailAddress("lovelace@example.com")))
        var text = "\(name) \(email) \(String(reflecting: name)) \(String(reflecting: email))"
        dump((name, email), to: &text)
        #expect(!text.lowercased().contains("lovelace"))
    }
}
