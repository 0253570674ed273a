import Testing

@testable import WaybillPushTransport

@Suite("Asking a proxy for a tunnel")
struct ProxyTunnelTests {
    private static let endpoint = Endpoint(host: "api.push.apple.com", port: 2197)

    private static func answer(_ pieces: String...) -> ProxyTunnel.Progress {
        var tunnel = ProxyTunnel(to: endpoint, through: ProxySettings(host: "proxy", port: 3128))
        var progress = ProxyTunnel.Progress.incomplete
        for piece in pieces where progress == .incomplete {
            progress = Array(piece.utf8).withUnsafeBytes { tunnel.receive($0) }
        }
        return progress
    }

    @Test("The request names the endpoint, and the user only if there is one")
    func request() {
        let open = ProxyTunnel(to: Self.endpoint, through: ProxySettings(host: "proxy", port: 3128))
        #expect(
            String(decoding: open.request, as: UTF8.self)
                == "CONNECT api.push.apple.com:2197 HTTP/1.1\r\nHost: api.push.apple.com:2197\r\n\r\n"
        )
        let proxy = ProxySettings(host: "proxy", port: 3128, user: "Aladdin", password: "open sesame")
        let guarded = ProxyTunnel(to: Endpoint(host: "::1", port: 443), through: proxy)
        // The example of RFC 7617 §2.
        #expect(
            String(decoding: guarded.request, as: UTF8.self)
                == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
                + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"
        )
    }

    @Test("Any 2xx opens it, in however many pieces it comes")
    func open() {
        #expect(Self.answer("HTTP/1.1 200 Connection established\r\n\r\n") == .open)
        #expect(Self.answer("HTTP/1.0 200 OK\r", "\nVia: x\r\n\r", "\n") == .open)
        #expect(Self.answer("HTTP/1.1 204 \r\n\r\n") == .open)
        #expect(Self.answer("HTTP/1.1 100 Wait\r\n\r\nHTTP/1.1 200 OK\r\n\r\n") == .open)
        #expect(Self.answer("HTTP/1.1 200 OK\r\n") == .incomplete)
    }

    @Test(
        "Everything else closes it, with what the proxy said",
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407"),
            ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "502"),
            ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP"),
            ("HTTP/1.1 abc\r\n\r\n", "does not speak HTTP"),
            ("HTTP/1.1 200 OK\r\n\r\nsurprise", "bytes of its own"),
            (String(repeating: "x", count: 20_000), "no end"),
        ]
    )
    func refused(answer: String, word: String) {
        guard case .refused(let text) = Self.answer(answer) else {
            Issue.record("taken for an open tunnel")
            return
        }
        #expect(text.contains(word))
    }

    @Test("A lane's proxy shows its host, never its credentials")
    func description() {
        let proxy = ProxySettings(host: "proxy", port: 3128, user: "Aladdin", password: "open sesame")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), dumped] {
            #expect(text.contains("proxy:3128"))
            #expect(!text.contains("sesame") && !text.contains("Aladdin"))
        }
    }
}
