import Testing

@testable import WaybillOutbox

@Suite("What a mail may hold")
struct MailAddressTests {
    @Test(
        "addresses that mail goes to",
        arguments: [
            "a@b", "first.last+tag@mail.example.com", "o'hara@example.com", "x@xn--bcher-kva.example",
            String(repeating: "l", count: 64) + "@example.com",
        ]
    )
    func usable(text: String) throws {
        let address = try MailAddress(text)
        #expect(address.text == text)
        #expect(!"\(address) \(String(reflecting: [address]))".contains(text))
    }

    @Test(
        "addresses that could be more than an address",
        arguments: [
            "", "@", "a@", "@b", "a", "a@b@c", "a b@c", "a@b c", "a@b\r\nBcc: c@d", "a@b\n", "a@b\u{0}", "<a@b>",
            "a@b>",
            "a,b@c", "\"a\"@b", "a@[127.0.0.1]", "a@b..c", ".a@b", "a.@b", "a@-b", "a@b-", "ä@b", "a@bücher.example",
            "a@b\u{2028}", "a@b;c", "a(c)@b", String(repeating: "l", count: 65) + "@example.com",
            "a@" + String(repeating: "d", count: 64), "a@" + repeatElement("d", count: 127).joined(separator: "."),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: MailError.self) { try MailAddress(text) }
        #expect(error.map { text.count < 4 || !$0.description.contains(text) } == true)
    }

    @Test(
        "senders",
        arguments: [
            ("no-reply@example.com", ""), ("Waybill <no-reply@example.com>", "Waybill"),
            ("\"Way, Bill\" <no-reply@example.com>", "Way, Bill"), ("<no-reply@example.com>", ""),
            ("Übung <no-reply@example.com>", "Übung"),
        ]
    )
    func sender(text: String, name: String) throws {
        let sender = try MailSender(text)
        #expect(sender.name == name)
        #expect(sender.address.text == "no-reply@example.com")
    }

    @Test(
        "senders that are none",
        arguments: ["", "Waybill", "Waybill <>", "A\r\nBcc: x@y <a@b>", "a\"b <a@b>", "Waybill <a@b> more"]
    )
    func noSender(text: String) {
        #expect(throws: MailError.self) { try MailSender(text) }
    }

    @Test(
        "subjects and texts that are refused",
        arguments: [
            ("", "text"), ("a\r\nBcc: b@c", "text"), ("a\nb", "text"), ("a\u{7}", "text"), ("a\u{2028}b", "text"),
            (String(repeating: "s", count: 256), "text"), ("subject", "a\u{1B}[2J"), ("subject", "a\r"),
            ("subject", String(repeating: "t", count: 65_536)),
        ]
    )
    func refusedText(subject: String, text: String) throws {
        let address = try MailAddress("a@b")
        #expect(throws: MailError.self) { try Mail(to: address, subject: subject, paragraphs: [text]) }
    }

    @Test(
        "links that are refused",
        arguments: [
            "", "javascript:alert(1)", "waybill://confirm", "//example.com", "https://example.com/a b",
            "https://example.com/\"onclick=", "https://example.com/\r\n", "https://bücher.example/",
        ]
    )
    func refusedLink(url: String) {
        #expect(throws: MailError.self) { try MailLink(label: "Confirm", url: url) }
    }
}
