import Testing
import WaybillEncoding
import WaybillTestSupport

@testable import WaybillSettings

/// Secrets where others can see them.
@Suite("Exposed secrets")
struct ExposureTests {
    private static func load(_ old: String, _ new: String, mode: Int, overrides: [ExactName: String] = [:]) throws
        -> [Finding]
    {
        let folder = try TemporaryFolder()
        let text = try ConfigurationText.minimal(replacing: old, with: new)
        let file = try folder.write("waybill.yaml", text, mode: mode)
        return ConfigurationLoader.load(path: file, environment: [:], overrides: overrides).findings
    }

    @Test(
        "a secret inline in a file that others can read is refused, and taken from one that they cannot",
        arguments: [
            ("amqp://localhost/", "amqp://waybill:hunter2@localhost/"),
            ("amqp://localhost/", "amqp://waybill@localhost/\n  password: hunter2"),
            ("mongodb://localhost/", "mongodb://waybill:hunter2@localhost/"),
            ("mongodb://localhost/", "mongodb://waybill@localhost/\n  password: hunter2"),
            ("mongodb://localhost/", "mongodb://localhost/?tls=true&tlsCertificateKeyFilePassword=hunter2"),
            ("mongodb://localhost/", "mongodb://localhost/?tls=true&tlsCertificateKeyFile%50assword=hunter2"),
        ]
    )
    func inline(old: String, new: String) throws {
        #expect(try Self.load(old, new, mode: 0o600) == [])
        for mode in [0o640, 0o604, 0o644] {
            let findings = try Self.load(old, new, mode: mode)
            #expect(findings.map(\.category) == [.permission])
            #expect(findings.first?.message.contains("run: chmod 600 ") == true)
            #expect(!findings.description.contains("hunter2"))
        }
    }

    @Test("a file without secrets may be read by all, and guest's well-known password is none")
    func open() throws {
        #expect(try Self.load("amqp://localhost/", "amqp://guest:guest@localhost/", mode: 0o644) == [])
        #expect(try Self.load("amqp://localhost/", "amqp://waybill:guest@localhost/", mode: 0o644).hasErrors)
        #expect(try Self.load("amqp://localhost/", "amqps://guest:guest@broker.example.com/", mode: 0o644).hasErrors)
    }

    @Test(
        "a password on a command line is refused, whatever carries it",
        arguments: [
            ("broker.url", "amqp://waybill:hunter2@localhost/"), ("broker.password", "hunter2"),
            ("store.url", "mongodb://waybill:hunter2@localhost/"), ("store.password", "hunter2"),
            ("store.url", "mongodb://localhost/?tlsCertificateKeyFilePassword=hunter2"),
        ]
    )
    func flag(path: String, value: String) throws {
        let findings = try Self.load("30d", "30d", mode: 0o600, overrides: [ExactName(path): value])
        #expect(findings.count { $0.severity == .error } >= 1)
        #expect(findings.contains { $0.message.contains("other users can see") }, "\(findings)")
        #expect(!findings.description.contains("hunter2"))
    }

    @Test("the environment may carry one")
    func environment() throws {
        let loaded = try ConfigurationText.load(
            ConfigurationText.minimal,
            environment: ["WAYBILL_BROKER_URL": "amqp://waybill:hunter2@localhost/"]
        )
        #expect(loaded.findings == [])
        #expect(loaded.configuration?.broker.password == Secret("hunter2"))
    }
}
