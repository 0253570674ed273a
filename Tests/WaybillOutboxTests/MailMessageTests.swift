import Testing

@testable import WaybillOutbox

@Suite("A mail as it is sent")
struct MailMessageTests {
    private static let time: Int64 = 1_795_398_249_000

    private func message(_ mail: Mail, id: String = "confirm/1", from: String = "Waybill <no-reply@example.com>") throws
        -> String
    {
        let message = MailMessage(mail, id: id, from: try MailSender(from), date: Self.time)
        return String(decoding: message.bytes, as: UTF8.self)
    }

    @Test("all of it, to the byte")
    func whole() throws {
        let mail = try Mail(
            to: try MailAddress("ada@example.org"),
            subject: "Confirm your address",
            paragraphs: ["Hello <Ada>,\nwelcome.", "Bye."],
            link: try MailLink(label: "Confirm", url: "https://example.com/c/abc?a=1&b=2")
        )
        #expect(
            mail.text == """
                Hello <Ada>,
                welcome.

                Confirm:
                https://example.com/c/abc?a=1&b=2

                Bye.

                """
        )
        #expect(
            mail.html.contains(
                "<p>Hello &lt;Ada&gt;,<br>welcome.</p>\n<p><a href=\"https://example.com/c/abc?a=1&amp;b=2\""
            )
        )
        let text = try message(mail)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(4) == [
                "Date: Mon, 23 Nov 2026 01:44:09 +0000", "From: \"Waybill\" <no-reply@example.com>",
                "To: <ada@example.org>", "Subject: Confirm your address",
            ]
        )
        #expect(lines[5...6] == ["Auto-Submitted: auto-generated", "MIME-Version: 1.0"])
        // "Hello <Ada>,\r\nwelcome.\r\n\r\nConfirm:\r\nhttps://example.com/c/abc?a=1&b=2\r\n…"
        #expect(lines.contains("SGVsbG8gPEFkYT4sDQp3ZWxjb21lLg0KDQpDb25maXJtOg0KaHR0cHM6Ly9leGFtcGxlLmNvbS9j"))
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\r") && !$0.contains("\n") })
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.hasSuffix("--\r\n"))
    }

    @Test("the name is of the id, the sender's domain, and nothing else; the same mail has the same bytes")
    func names() throws {
        let mail = try Mail(to: try MailAddress("a@b"), subject: "s", paragraphs: ["p"])
        let other = try Mail(to: try MailAddress("c@d"), subject: "t", paragraphs: ["q"])
        func name(_ text: String) -> Substring? {
            text.split(separator: "\r\n").first { $0.hasPrefix("Message-ID: ") }
        }
        #expect(try message(mail) == message(mail))
        #expect(try name(message(mail)) == name(message(other)))
        #expect(try name(message(mail)) != name(message(mail, id: "confirm/2")))
        #expect(try name(message(mail))?.hasSuffix("@example.com>") == true)
        #expect(try !message(mail).contains("confirm/1"))
    }

    @Test(
        "a subject is encoded where it has to be, and no character is split",
        arguments: [
            ("Bestätigung", "Subject: =?utf-8?B?QmVzdMOkdGlndW5n?="),
            ("=?utf-8?Q?x?=", "Subject: =?utf-8?B?PT91dGYtOD9RP3g/PQ==?="),
            (" x", "Subject: =?utf-8?B?IHg=?="),
            (
                String(repeating: "ü", count: 20),
                "Subject: =?utf-8?B?\(String(repeating: "w7zDvMO8", count: 6))w7w=?=\r\n =?utf-8?B?w7w=?="
            ),
        ]
    )
    func subject(subject: String, line: String) throws {
        let text = try message(try Mail(to: try MailAddress("a@b"), subject: subject, paragraphs: ["p"]))
        #expect(text.contains("\r\n\(line)\r\nMessage-ID: "))
    }

    @Test("a name of other letters is encoded, too")
    func senderName() throws {
        let mail = try Mail(to: try MailAddress("a@b"), subject: "s", paragraphs: ["p"])
        #expect(try message(mail, from: "Übung <x@y>").contains("\r\nFrom: =?utf-8?B?w5xidW5n?= <x@y>\r\n"))
        #expect(try message(mail, from: "x@y").contains("\r\nFrom: <x@y>\r\n"))
    }
}
