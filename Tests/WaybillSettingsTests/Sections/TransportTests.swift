import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// What protects the connections to broker and store.
@Suite("Protected connections")
struct TransportTests {
    private static func findings(store url: String, extra: String = "") throws -> [String] {
        let text = try ConfigurationText.minimal(replacing: "mongodb://localhost/", with: url + extra)
        return try ConfigurationText.load(text).findings.map(\.description)
    }

    @Test(
        "no spelling switches the check of the store's certificate off",
        arguments: [
            "tlsInsecure=true", "tlsInsecure=1", "tlsInsecure=yes", "tlsInsecure=y", "tlsInsecure=t", "tlsInsecure=%31",
            "tlsInsecure=TRUE", "tlsInsecure=%74rue", "tlsInsecure=YES", "tlsInsecure=-1", "tlsInsecure=on",
            "tlsInsecure", "tlsInsecure=", "TLSINSECURE=1", "tls%49nsecure=1", "tlsinsecure=false&tlsInsecure=1",
            "tlsInsecure=1&tlsInsecure=false", "tlsAllowInvalidCertificates=1", "tlsAllowInvalidHostnames=yes",
            "sslAllowInvalidCertificates=t", "sslAllowInvalidHostnames=y", "ssl=true;tlsInsecure=1",
        ]
    )
    func unchecked(option: String) throws {
        for url in ["mongodb://localhost/?tls=true&\(option)", "mongodb://localhost/?\(option)&replicaSet=rs0"] {
            let findings = try Self.findings(store: url)
            #expect(findings.contains { $0.contains("turns the check of the server's certificate off") }, "\(findings)")
        }
    }

    @Test(
        "what leaves the check on is accepted",
        arguments: ["tlsInsecure=false", "tlsAllowInvalidCertificates=FALSE", "tls=true", "tls=true&tlsCAFile=/ca.pem"]
    )
    func checked(option: String) throws {
        #expect(try Self.findings(store: "mongodb://localhost/?\(option)") == [])
    }

    @Test(
        "an option of the store's URL that has no effect is named, and what it may have been meant for",
        arguments: [
            ("fooBar=1", ["holds foobar, which the store's client does not know; it has no effect"]),
            (
                "replicSet=rs0",
                ["holds replicset, which the store's client does not know; it has no effect; did you mean replicaset?"]
            ),
            ("my-own%20word=1", ["holds an option that the store's client does not know; it has no effect"]),
            ("w=majority&appName=a&readPreferenceTags=dc:a&maxPoolSize=3", []),
        ]
    )
    func unknownOptions(option: String, words: [String]) throws {
        let findings = try Self.findings(store: "mongodb://localhost/?\(option)")
        #expect(findings.map { String($0.drop { $0 != ":" }.dropFirst(2)) } == words)
        #expect(findings.allSatisfy { $0.hasPrefix("warn store.url (line ") })
    }

    @Test(
        "contradictions about TLS are errors",
        arguments: [
            ("?tls=true&tls=false", "", "says both tls=true and tls=false"),
            ("?ssl=true&tls=false", "", "says both tls=true and tls=false"),
            ("?tls=0", "", "has an option tls that is neither true nor false"),
            ("?tls=false&tlsCAFile=/ca.pem", "", "says tls=false and names certificates"),
            ("?tls=false", "\n  ca_file: ca.pem", "says tls=false and names certificates"),
            ("?tlsCAFile=/ca.pem", "\n  ca_file: ca.pem", "names certificates, and so does the section"),
        ]
    )
    func contradictions(query: String, extra: String, words: String) throws {
        let findings = try Self.findings(store: "mongodb://localhost/\(query)", extra: extra)
        #expect(findings.count == 1)
        #expect(findings.first?.contains(words) == true, "\(findings)")
    }

    @Test(
        "a host that is not this machine wants TLS",
        arguments: [
            ("mongodb://store.example.com/", true), ("mongodb://10.0.0.1/", true),
            ("mongodb://localhost,10.0.0.1/", true),
            ("mongodb://[2001:db8::1]:27017/", true), ("mongodb://127.example.com/", true),
            ("mongodb://localhost.example.com/", true), ("mongodb+srv://store.example.com/?tls=false", true),
            ("mongodb://localhost:27017,127.0.0.1,127.8.9.10:1/", false), ("mongodb://[::1]:27017/", false),
            ("mongodb://%2Ftmp%2Fmongodb-27017.sock/", false), ("mongodb://store.example.com/?tls=true", false),
            ("mongodb://store.example.com/?ssl=true", false), ("mongodb+srv://store.example.com/", false),
            ("mongodb://store.example.com/?tlsCAFile=/ca.pem", false),
        ]
    )
    func plainText(url: String, isWarned: Bool) throws {
        let findings = try Self.findings(store: url)
        #expect(findings.contains { $0.hasPrefix("warn store.url (line 4): ") } == isWarned, "\(findings)")
        #expect(findings.count == (isWarned ? 1 : 0))
    }

    @Test("the broker's connections are looked at in the same way")
    func broker() throws {
        func findings(_ url: String) throws -> [String] {
            try ConfigurationText.load(
                ConfigurationText.minimal(replacing: "amqp://localhost/", with: url)
            ).findings.map(\.description)
        }
        #expect(
            try findings("amqp://rabbit-1,rabbit-2/") == [
                "warn broker.url (line 2): messages and the password cross the network in clear; write amqps://"
            ]
        )
        #expect(try findings("amqps://rabbit-1/") == [])
        #expect(try findings("amqp://127.0.0.1:5672/") == [])
        #expect(try findings("amqp://localhost/\n  certificate_file: c.pem\n  private_key_file: k.pem").count == 2)
        #expect(
            try findings("amqps://localhost/\n  certificate_file: c.pem") == [
                "error broker.private_key_file (line 1): is missing; certificate_file needs it"
            ]
        )
    }

    @Test("the store's certificate and its key become one text, and the key must be its owner's alone")
    func identity() throws {
        let folder = try TemporaryFolder()
        let certificate = try folder.write("c.pem", "certificate", mode: 0o644)
        let key = try folder.write("k.pem", "key")
        let extra = "\n  certificate_file: \(certificate)\n  private_key_file: \(key)"
        let text = try ConfigurationText.minimal(
            replacing: "mongodb://localhost/",
            with: "mongodb://localhost/" + extra
        )
        let store = try #require(try ConfigurationText.load(text).configuration).store
        #expect(try store.readIdentity() == Array("certificate\nkey".utf8))
        _ = try folder.write("k.pem", "key", mode: 0o644)
        #expect(throws: OwnerOnlyFile.Problem.self) { try store.readIdentity() }
    }
}
