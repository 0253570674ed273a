import Testing

@testable import WaybillSettings

@Suite("The broker's HTTP API")
struct ManagementSectionTests {
    private func load(
        _ management: String,
        broker: String = "amqp://waybill@localhost/",
        role: ConfigurationRole = .status
    )
        throws -> LoadedConfiguration
    {
        let section = "url: \(broker)\n  password: of-the-broker\n  management: {\(management)}"
        let text = try ConfigurationText.minimal(replacing: "url: amqp://localhost/", with: section)
        return try ConfigurationText.load(text, role: role)
    }

    @Test(
        "without a user of its own it is the broker's, with its password",
        arguments: ["http://localhost:15672", "http://localhost:15672/", "http://localhost:15672//"]
    )
    func brokersUser(url: String) throws {
        let loaded = try load("url: \"\(url)\"")
        #expect(loaded.findings == [])
        let management = try #require(loaded.sections?.broker?.management)
        #expect(management.url == "http://localhost:15672")
        #expect(management.user == "waybill")
        #expect(management.password?.value == "of-the-broker")
    }

    @Test("a user of its own never gets the broker's password")
    func ownUser() throws {
        let management = try #require(
            load("url: \"https://look%20out@mq.example.com/mq\"").sections?.broker?.management
        )
        #expect(management.url == "https://mq.example.com/mq")
        #expect(management.user == "look out")
        #expect(management.password == nil)
        let own = try #require(
            load("url: \"http://look@localhost\", password: of-its-own").sections?.broker?.management
        )
        #expect(own.password?.value == "of-its-own")
    }

    @Test(
        "what cannot be used is a finding",
        arguments: [
            ("password: p", "broker.management.url", "is missing; such as http://localhost:15672"),
            ("url: \"amqp://localhost\"", "broker.management.url", "must begin with http:// or https://"),
            ("url: \"http://localhost?x=1\"", "broker.management.url", "must end before any ? or #"),
            ("url: \"http://localhost\", ca_file: ca.pem", "broker.management.ca_file", "needs TLS"),
            ("url: \"http://localhost\", port: 1", "broker.management.port", "unknown key"),
            ("url: \"http://%zz@localhost\"", "broker.management.url", "has a user that is not percent-encoded"),
        ]
    )
    func mistakes(text: String, path: String, words: String) throws {
        let loaded = try load(text)
        let error = try #require(loaded.findings.first { $0.severity == .error })
        #expect(error.path == path)
        #expect(error.message.hasPrefix(words), "\(error.message)")
    }

    @Test("a password that crosses the network in clear is a warning")
    func clear() throws {
        let loaded = try load("url: \"http://mq.example.com\"")
        #expect(loaded.findings.map(\.severity) == [.warning])
    }

    @Test("a command that does not ask it needs no password of it")
    func notNeeded() throws {
        let text = "url: \"http://look@localhost\", password_file: there-is-none"
        #expect(try load(text, role: .dispatch).findings.filter { $0.severity == .error } == [])
        #expect(try load(text).findings.contains { $0.path == "broker.management.password_file" })
    }
}
