import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import WaybillSettings

@testable import WaybillHTTPAPI

struct RequestSourceTests {
    private static let proxies = ["10.0.0.0/8", "2001:db8::1"].compactMap { IPRange($0) }

    private func request(_ forwarded: [String]) -> Request {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        for value in forwarded { head.headerFields.append(HTTPField(name: .forwardedFor, value: value)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(
        arguments: [
            ([], "192.0.2.7", [], "192.0.2.7"),
            // Without proxies nobody's word counts.
            ([], "192.0.2.7", ["1.2.3.4"], "192.0.2.7"),
            (proxies, "10.1.1.1", ["1.2.3.4"], "1.2.3.4"),
            (proxies, "127.0.0.1", ["1.2.3.4"], "1.2.3.4"),
            // What the client itself wrote stands before what the first proxy saw.
            (proxies, "10.1.1.1", ["6.6.6.6, 1.2.3.4, 10.2.2.2"], "1.2.3.4"),
            (proxies, "2001:db8::1", ["6.6.6.6", "2001:db8::7"], "2001:db8::7"),
            (proxies, "10.1.1.1", [], "10.1.1.1"),
            (proxies, "::ffff:10.1.1.1", ["10.9.9.9"], "10.9.9.9"),
            (proxies, "10.1.1.1", ["<script>"], nil),
            // A port is of the connection, and not of whoever asks.
            (proxies, "10.1.1.1", ["1.2.3.4:5678"], "1.2.3.4"),
            (proxies, "10.1.1.1", ["[2001:db8::7]:443"], "2001:db8::7"),
            (proxies, "10.1.1.1", ["[2001:db8::7]"], "2001:db8::7"),
            (proxies, "10.1.1.1", ["1.2.3.4, 10.2.2.2:80"], "1.2.3.4"),
            (proxies, "10.1.1.1", ["1.2.3.4, [2001:db8::1]:9"], "1.2.3.4"),
            (proxies, "10.1.1.1", ["2001:db8::7"], "2001:db8::7"),
            (proxies, "10.1.1.1", ["1.2.3.4:99999"], nil), (proxies, "10.1.1.1", ["1.2.3.4:+1"], nil),
            (proxies, "10.1.1.1", ["[1.2.3.4]x"], nil), (proxies, "10.1.1.1", ["[::1"], nil),
            (proxies, "10.1.1.1", ["0.0.0.0/0"], nil),
        ] as [([IPRange], String, [String], String?)]
    )
    func theLastAddressThatIsNoProxys(proxies: [IPRange], peer: String, forwarded: [String], wanted: String?) throws {
        #expect(try RequestSource(proxies: proxies).address(peer: peer, request(forwarded)) == wanted)
    }

    @Test(arguments: ["192.0.2.7", "11.0.0.1", "2001:db8::2", nil] as [String?])
    func nobodyGetsPastTheProxies(peer: String?) {
        #expect(throws: Problem.self) {
            try RequestSource(proxies: Self.proxies).address(peer: peer, request(["10.0.0.1"]))
        }
    }
}
