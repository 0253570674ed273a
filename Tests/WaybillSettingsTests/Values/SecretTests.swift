import Testing
import WaybillEncoding
import WaybillTestSupport

@testable import WaybillSettings

@Suite("Secrets")
struct SecretTests {
    @Test("a secret does not print itself")
    func redacted() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(reflecting: [secret]), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test("no printed form of a loaded configuration holds a password")
    func configuration() throws {
        let text = ConfigurationText.minimal
            .replacing("amqp://localhost/", with: "amqp://u:hunter2@localhost/")
            .replacing("mongodb://localhost/", with: "mongodb://u:hunter2@localhost/")
        let configuration = try #require(try ConfigurationText.load(text).configuration)
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(!"\(configuration)".contains("hunter2"))
        #expect(configuration.broker.password?.value == "hunter2")
        #expect(configuration.broker.url == "amqp://u@localhost/")
        #expect(configuration.store.url.value == "mongodb://u:hunter2@localhost/")
        #expect(configuration.store.displayURL == "mongodb://u@localhost/")
    }

    @Test("a secret among the options of the store's URL does not show")
    func secretOptions() throws {
        let options = "tls=true&tlsCertificateKeyFilePassword=hunter2&authMechanismProperties=TOKEN:hunter2&a=b"
        let url = "mongodb://localhost/?\(options)&tlsCertificateKeyFile%50assword=hunter2"
        let text = ConfigurationText.minimal.replacing("mongodb://localhost/", with: url)
        let configuration = try #require(try ConfigurationText.load(text).configuration)
        #expect(!"\(configuration)".contains("hunter2"))
        #expect(configuration.store.url.value == url)
        #expect(
            configuration.store.displayURL
                == "mongodb://localhost/?tls=true&tlsCertificateKeyFilePassword=redacted&authMechanismProperties=redacted&a=b"
                + "&tlsCertificateKeyFile%50assword=redacted"
        )
    }

    @Test("a broken URL's findings do not repeat it")
    func brokenURL() throws {
        for url in ["amqp://u:hunter2@local host/", "amqp//u:hunter2@localhost/", "amqp://u:hunter2%zz@localhost/"] {
            let text = ConfigurationText.minimal.replacing("amqp://localhost/", with: url)
            let findings = try ConfigurationText.load(text).findings
            #expect(findings.hasErrors)
            #expect(!findings.description.contains("hunter2"))
        }
    }

    @Test("broken YAML near a password does not repeat it")
    func brokenFile() throws {
        let text = ConfigurationText.minimal.replacing("amqp://localhost/", with: "\"amqp://u:hunter2@localhost/\n")
        let findings = try ConfigurationText.load(text).findings
        #expect(findings.hasErrors)
        #expect(!findings.description.contains("hunter2"))
    }

    @Test("a password file is read to the end of its first line, and refused when others can read it")
    func passwordFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("password", "hunter2\r\n")
        let text = ConfigurationText.minimal.replacing(
            "  url: amqp://localhost/",
            with: "  url: amqp://u:other@localhost/\n  password_file: \(file)"
        )
        #expect(try ConfigurationText.load(text).configuration?.broker.password == Secret("hunter2"))

        _ = try folder.write("password", "hunter2", mode: 0o640)
        let findings = try ConfigurationText.load(text).findings
        #expect(findings.map(\.category) == [.permission])
        #expect(
            findings.map(\.description) == [
                "error broker.password_file (line 3): \(file) can be used by others (mode 640); run: chmod 600 \(file)"
            ]
        )
    }

    @Test("the environment replaces a password file, and a flag is refused")
    func precedence() throws {
        let text = ConfigurationText.minimal.replacing(
            "  url: amqp://localhost/",
            with: "  url: amqp://u@localhost/\n  password_file: none"
        )
        let loaded = try ConfigurationText.load(text, environment: ["WAYBILL_BROKER_PASSWORD": "hunter2"])
        #expect(loaded.configuration?.broker.password == Secret("hunter2"))
        let flag = try ConfigurationText.load(text, overrides: ["broker.password": "hunter2"])
        #expect(
            flag.findings.map(\.description) == [
                "error broker.password (--set broker.password): must not be given by a flag, which other users can see; use "
                    + "password_file or the environment"
            ]
        )
    }

    @Test("the key for token digests must be secret and long enough")
    func tokenKey() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("tokens.key", String(repeating: "k", count: 32) + "\n")
        let text = ConfigurationText.minimal.replacing(
            "  url: mongodb://localhost/",
            with: "  url: mongodb://localhost/\n  tokens: digest\n  token_key_file: \(file)"
        )
        let store = try #require(try ConfigurationText.load(text).configuration).store
        #expect(store.tokens == .digest(keyFile: file))
        #expect(try store.readTokenKey()?.count == 32)

        _ = try folder.write("tokens.key", "short")
        #expect(
            try ConfigurationText.load(text).findings.map(\.description) == [
                "error store.token_key_file (line 6): \(file) must hold at least 32 bytes; run: openssl rand -hex 32"
            ]
        )
    }
}
