import Testing
import WaybillPushTransport
import WaybillTLS
import WaybillThreads

@testable import WaybillAPNS

@Suite("A lane's configuration")
struct ConfigurationTests {
    private static func lane() -> APNSConfiguration {
        var lane = APNSConfiguration(
            endpoint: .production,
            credentials: .certificate(APNSCertificate(certificateFile: "a.pem", privateKeyFile: "b.pem"))
        )
        lane.name = "parcels"
        return lane
    }

    @Test("The defaults are valid")
    func defaults() throws {
        try Self.lane().validate()
    }

    enum Change: String, CaseIterable, Sendable {
        case noName, noHost, hostWithNewline, hostWithSpace, hostThatIsAURL, portZero, noConnections
        case tooManyConnections, noTimeForARequest, noTimeToWait, negativeTime, reconnectDelaysInTheWrongOrder

        func apply(to lane: inout APNSConfiguration) {
            switch self {
            case .noName: lane.name = ""
            case .noHost: lane.endpoint.host = ""
            case .hostWithNewline: lane.endpoint.host = "a\r\nx: y"
            case .hostWithSpace: lane.endpoint.host = "a b"
            case .hostThatIsAURL: lane.endpoint.host = "https://a"
            case .portZero: lane.endpoint.port = 0
            case .noConnections: lane.connections = 0
            case .tooManyConnections: lane.connections = 65
            case .noTimeForARequest: lane.deadlines.request = .zero
            case .noTimeToWait: lane.deadlines.waiting = .zero
            case .negativeTime: lane.deadlines.connect = .seconds(-1)
            case .reconnectDelaysInTheWrongOrder: lane.reconnect.longest = .milliseconds(1)
            }
        }
    }

    @Test("Refuses what could reach a header, a socket or a timer", arguments: Change.allCases)
    func invalid(change: Change) {
        var lane = Self.lane()
        change.apply(to: &lane)
        let error = #expect(throws: APNSSetupError.self) { try lane.validate() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(
        "The authority names the port unless it is 443",
        arguments: [
            (APNSEndpoint.production, "api.push.apple.com"),
            (APNSEndpoint(host: "api.push.apple.com", port: 2197), "api.push.apple.com:2197"),
            (APNSEndpoint(host: "::1", port: 8443), "[::1]:8443"),
        ]
    )
    func authority(endpoint: APNSEndpoint, text: String) {
        #expect(endpoint.authority == text)
    }
}

@Suite("What may reach a header")
struct RequestHeadersTests {
    private func write(_ request: APNSRequest) throws {
        let headers = RequestHeaders(authority: "localhost")
        var names = HeaderNames()
        try headers.write([request], at: 0, authorization: nil, names: &names)
    }

    @Test(
        "A topic or push type that is not visible ASCII is refused",
        arguments: ["", "a\r\nx: y", "a b", "ä", "a\u{0}"]
    )
    func names(value: String) {
        #expect(throws: RequestHeaders.Refusal.topic) { try write(Fixture.request(topic: value)) }
        #expect(throws: RequestHeaders.Refusal.pushType) {
            try write(Fixture.request(pushType: APNSPushType(rawValue: value)))
        }
    }

    @Test("A device token that is not hexadecimal is refused", arguments: ["", "xyz", "ab/../cd", "ab\r\n"])
    func token(value: String) {
        #expect(throws: RequestHeaders.Refusal.deviceToken) { try write(Fixture.request(token: value)) }
    }

    @Test("A collapse id over 64 bytes or with white space is refused")
    func collapseID() throws {
        let longest = Array(repeating: UInt8(ascii: "a"), count: 64)
        try write(Fixture.request(collapseID: .explicit(longest[...])))
        for bytes in [longest + [UInt8(ascii: "a")], [], Array("a b".utf8), Array("a\n".utf8)] {
            #expect(throws: RequestHeaders.Refusal.collapseID) {
                try write(Fixture.request(collapseID: .explicit(bytes[...])))
            }
        }
    }

    @Test("A refused value does not stay behind for the next request")
    func recovery() throws {
        let headers = RequestHeaders(authority: "localhost")
        var names = HeaderNames()
        try headers.write([Fixture.request()], at: 0, authorization: nil, names: &names)
        #expect(throws: RequestHeaders.Refusal.topic) {
            try headers.write([Fixture.request(topic: "a\nb")], at: 0, authorization: nil, names: &names)
        }
        #expect(throws: RequestHeaders.Refusal.topic) {
            try headers.write([Fixture.request(topic: "a\nb")], at: 0, authorization: nil, names: &names)
        }
        try headers.write([Fixture.request()], at: 0, authorization: nil, names: &names)
    }

    @Test("A proxy shows its host, never its credentials")
    func description() {
        let proxy = APNSProxy(host: "proxy", port: 3128, user: "Aladdin", password: "open sesame")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), dumped] {
            #expect(text.contains("proxy:3128"))
            #expect(!text.contains("sesame") && !text.contains("Aladdin"))
        }
    }
}
