import Testing
import WaybillAMQP

@Suite struct EndpointTests {
    struct Readable: Sendable, CustomTestStringConvertible {
        let url: String
        let host: String
        let port: Int
        let user: String
        let virtualHost: String
        var usesTLS = false
        var testDescription: String { url }
    }

    @Test(arguments: [
        Readable(url: "amqp://localhost", host: "localhost", port: 5672, user: "guest", virtualHost: "/"),
        Readable(url: "amqp://localhost/", host: "localhost", port: 5672, user: "guest", virtualHost: "/"),
        Readable(
            url: "amqp://waybill@localhost:5672/",
            host: "localhost",
            port: 5672,
            user: "waybill",
            virtualHost: "/"
        ),
        Readable(
            url: "AMQP://u:p@broker.example:15/%2F",
            host: "broker.example",
            port: 15,
            user: "u",
            virtualHost: "/"
        ),
        Readable(url: "amqp://u:p@h/push", host: "h", port: 5672, user: "u", virtualHost: "push"),
        Readable(url: "amqp://u%40x:p%3A%2F@h:1/a%2Fb", host: "h", port: 1, user: "u@x", virtualHost: "a/b"),
        Readable(url: "amqp://u:p@ss@h/v", host: "h", port: 5672, user: "u", virtualHost: "v"),
        Readable(url: "amqps://u@h/", host: "h", port: 5671, user: "u", virtualHost: "/", usesTLS: true),
        Readable(url: "amqps://u@[::1]:99/v", host: "::1", port: 99, user: "u", virtualHost: "v", usesTLS: true),
        Readable(url: "amqp://[fe80::1]", host: "fe80::1", port: 5672, user: "guest", virtualHost: "/"),
        Readable(url: "amqp://h/%C3%BC", host: "h", port: 5672, user: "guest", virtualHost: "ü"),
    ])
    func readable(_ expected: Readable) throws {
        let endpoint = try AMQPEndpoint(url: expected.url, connectionName: "test")
        #expect(endpoint.nodes == [AMQPNode(host: expected.host, port: expected.port)])
        #expect(endpoint.user == expected.user)
        #expect(endpoint.virtualHost == expected.virtualHost)
        #expect(endpoint.usesTLS == expected.usesTLS)
    }

    @Test(arguments: [
        "", "localhost", "http://h/", "amqp://", "amqp:///v", "amqp://u@/v", "amqp://@h/", "amqp://h:/", "amqp://h:0/",
        "amqp://h:65536/", "amqp://h:+1/", "amqp://h:1x/", "amqp://h/a/b", "amqp://h/%2", "amqp://h/%zz",
        "amqp://h/%00",
        "amqp://h/%ff", "amqp://[::1/", "amqp://[::1]x/", "amqp://h/v?heartbeat=5", "amqp://h/v#x", "amqp://h /",
        "amqp://h/\n", "amqp://a,/", "amqp://,a/", "amqp://a,,b/", "amqp://a,b:x/",
    ])
    func unreadable(_ url: String) throws {
        let error = #expect(throws: AMQPError.self) { try AMQPEndpoint(url: url, connectionName: "test") }
        #expect(error?.code == .invalidURL)
        #expect(error?.isRetriable == false)
    }

    @Test func severalNodes() throws {
        let plain = try AMQPEndpoint(url: "amqp://u:s3cret@a,b:15,[::1]:16/v", connectionName: "test")
        #expect(plain.nodes.map(\.host) == ["a", "b", "::1"])
        #expect(plain.nodes.map(\.port) == [5672, 15, 16])
        #expect(plain.virtualHost == "v")
        #expect(plain.description == "amqp://u@a:5672,b:15,[::1]:16/v")
        let secure = try AMQPEndpoint(url: "amqps://a,b:15", connectionName: "test")
        #expect(secure.nodes.map(\.port) == [5671, 15])
    }

    @Test func passwordsAreNeverPrinted() throws {
        let fromURL = try AMQPEndpoint(url: "amqp://u:s3cret@h:7/v", connectionName: "test")
        let given = try AMQPEndpoint(url: "amqp://u@h", password: "s3cret", connectionName: "test")
        var dumped = ""
        dump(fromURL, to: &dumped)
        #expect(fromURL.description == "amqp://u@h:7/v")
        for text in ["\(fromURL)", String(reflecting: fromURL), "\(given)", String(reflecting: given), dumped] {
            #expect(!text.contains("s3cret"))
        }
        let error = #expect(throws: AMQPError.self) {
            try AMQPEndpoint(url: "amqp://u:s3cret@h:x/", connectionName: "test")
        }
        #expect(error?.description.contains("s3cret") == false)
    }
}
