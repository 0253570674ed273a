import Testing

@testable import WaybillOutbox

@Suite("Where endpoints may be")
struct WebhookURLTests {
    @Test(
        "what is taken",
        arguments: [
            "https://example.com", "https://example.com/", "https://a-b.example.com/hooks?x=1&y=%20",
            "https://example.com:443/a", "https://example.com:8443/a", "https://192.0.2.1/",
            "https://[2001:db8::1]:8443/x",
            "https://xn--bcher-kva.example/",
        ]
    )
    func takes(text: String) throws {
        #expect(try WebhookURL(text, allowsPlain: false).text == text)
    }

    @Test(
        "what is refused",
        arguments: [
            "", "example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "https://",
            "https:///x", "https://user@example.com/", "https://user:pw@example.com/", "https://example.com/#x",
            "https://example.com:22/", "https://example.com:80/", "https://example.com:0/",
            "https://example.com:65536/",
            "https://example.com:/", "https://example.com:x/", "https://127.1/", "https://2130706433/",
            "https://0x7f000001/", "https://0177.0.0.1/", "https://127.0.0.01/", "https://1.2.3.4.5/",
            "https://256.1.1.1/",
            "https://[::1", "https://[::1]x/", "https://[::ffff%31]/", "https://[fe80::1%25eth0]/",
            "https://exa mple.com/",
            "https://example.com/\r\nX-Evil: 1", "https://example.com\\@evil.example/", "https://.example.com/",
            "https://example..com/", "https://-a.example/", "https://example.com/ä", "http://example.com/",
            "HTTPS://example.com/", "https://\(String(repeating: "a", count: 2048)).example/",
        ]
    )
    func refuses(text: String) {
        #expect(throws: WebhookURL.Problem.self) { try WebhookURL(text, allowsPlain: false) }
    }

    @Test("without TLS where that is allowed")
    func plain() throws {
        for text in ["http://localhost:8080/x", "http://example.com:80/", "http://127.0.0.1:9000/"] {
            #expect(try WebhookURL(text, allowsPlain: true).text == text)
        }
        for text in ["http://example.com:443/", "ftp://example.com/"] {
            #expect(throws: WebhookURL.Problem.self) { try WebhookURL(text, allowsPlain: true) }
        }
    }
}
