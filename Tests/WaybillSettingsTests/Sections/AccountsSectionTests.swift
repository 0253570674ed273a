import Testing
import WaybillCore
import WaybillTestSupport

@testable import WaybillSettings

/// `serve.accounts` and `serve.notifire`.
struct AccountsSectionTests {
    private static let sound = "base_url: 'https://push.example.com', root_secret_file: root"

    private func load(_ sections: String) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder()
        let text = """
            broker: {url: 'amqp://localhost/'}
            store: {url: 'mongodb://localhost/'}
            serve: {listen: '127.0.0.1:8080'\(sections)}

            """
        return ConfigurationLoader.load(
            path: try folder.write("waybill.yaml", text),
            environment: [:],
            role: .serve
        )
    }

    @Test func absentMeansNone() throws {
        let loaded = try load("")
        #expect(loaded.findings == [])
        #expect(try #require(loaded.sections?.serve).accounts == nil)
        #expect(try #require(loaded.sections?.serve).notifire == nil)
    }

    @Test func defaults() throws {
        let loaded = try load(", accounts: {\(Self.sound)}, notifire: {}")
        #expect(loaded.findings == [])
        let serve = try #require(loaded.sections?.serve)
        #expect(serve.accounts?.baseURL == "https://push.example.com")
        #expect(serve.accounts?.hashing == .init(memory: 19_456, passes: 2, lanes: 1))
        let limits = AccountSettings.Limits(
            signUpsPerHour: 5,
            logInsPerMinute: 10,
            checksPerMinute: 30,
            changesPerMinute: 60,
            keyChangesPerHour: 10,
            devicesPerHour: 60
        )
        #expect(serve.accounts?.limits == limits)
        #expect(serve.accounts?.minimumPassword == 8)
        #expect(serve.accounts?.apps == [])
        #expect(serve.notifire == NotifireSettings(minimumPassword: 5))
    }

    @Test func servicesNeedAnAppAndALane() throws {
        let loaded = try load(
            ", accounts: {\(Self.sound)}, notifire: {services: {app: com.example.app, lane: parcels}}"
        )
        #expect(loaded.findings == [])
        let expected = NotifireServiceSettings(
            app: "com.example.app",
            environment: .production,
            lane: "parcels",
            client: "notifire",
            burst: 60,
            perMinute: 60,
            perDay: 10_000,
            devices: 20,
            keep: .seconds(30 * 86_400)
        )
        #expect(loaded.sections?.serve?.services == expected)
        let android = "fcm: {project: acme-parcels, lane: android, test_lane: trial}"
        let both = try load(
            ", accounts: {\(Self.sound)}, notifire: {services: {app: com.example.app, lane: parcels, \(android)}}"
        )
        #expect(both.findings == [])
        let services = try #require(both.sections?.serve?.services)
        #expect(services.fcm == .init(project: "acme-parcels", lane: "android", testLane: "trial"))
        #expect(services.apps == ["com.example.app", "acme-parcels"])
        let half = try load(", accounts: {\(Self.sound)}, notifire: {services: {app: a.b, lane: c, fcm: {}}}")
        #expect(
            Set(half.findings.map(\.path)) == [
                "serve.notifire.services.fcm.project", "serve.notifire.services.fcm.lane",
            ]
        )
        let empty = try load(", accounts: {\(Self.sound)}, notifire: {services: {}}")
        #expect(empty.findings.map(\.path) == ["serve.notifire.services.app", "serve.notifire.services.lane"])
        let slip = try load(
            ", accounts: {\(Self.sound)}, notifire: {services: {app: a.b, lane: c, environment: test, burst: 0, keep: 1h}}"
        )
        #expect(
            Set(slip.findings.map(\.path)) == [
                "serve.notifire.services.environment", "serve.notifire.services.burst", "serve.notifire.services.keep",
            ]
        )
    }

    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1:80", "http://127.0.0.1:80"),
        ("http://[::1]:80", "http://[::1]:80"), ("https://Push.Example.com:8443", "https://push.example.com:8443"),
    ])
    func addresses(url: String, kept: String) throws {
        let loaded = try load(", accounts: {base_url: '\(url)', root_secret_file: root}")
        #expect(loaded.findings == [])
        #expect(loaded.sections?.serve?.accounts?.baseURL == kept)
    }

    @Test(arguments: [
        ("accounts: {}", ["serve.accounts.base_url", "serve.accounts.root_secret_file"]),
        ("accounts: {base_url: 'push.example.com', root_secret_file: root}", ["serve.accounts.base_url"]),
        ("accounts: {base_url: 'http://push.example.com', root_secret_file: root}", ["serve.accounts.base_url"]),
        ("accounts: {base_url: 'http://localhost.example.com', root_secret_file: root}", ["serve.accounts.base_url"]),
        ("accounts: {base_url: 'http://127.example.com', root_secret_file: root}", ["serve.accounts.base_url"]),
        ("accounts: {base_url: 'https://push.example.com/api', root_secret_file: root}", ["serve.accounts.base_url"]),
        ("accounts: {base_url: 'https://ada@push.example.com', root_secret_file: root}", ["serve.accounts.base_url"]),
        (
            "accounts: {\(sound), former_root_secret_file: root}", ["serve.accounts.former_root_secret_file"]
        ),
        ("accounts: {\(sound), password_hash: {memory: 8, lanes: 2}}", ["serve.accounts.password_hash.memory"]),
        ("accounts: {\(sound), password_hash: {passes: 0}}", ["serve.accounts.password_hash.passes"]),
        ("accounts: {\(sound), limits: {log_ins_per_minute: 0}}", ["serve.accounts.limits.log_ins_per_minute"]),
        ("accounts: {\(sound), limits: {logins: 5}}", ["serve.accounts.limits.logins"]),
        ("accounts: {\(sound), minimum_password: 7}", ["serve.accounts.minimum_password"]),
        ("accounts: {\(sound), apps: [com.example.app]}", ["serve.accounts.apps[0]"]),
        ("accounts: {\(sound), apps: [abcde12345.com.example.app]}", ["serve.accounts.apps[0]"]),
        ("accounts: {\(sound), root_secret: text}", ["serve.accounts.root_secret"]),
        ("accounts: {\(sound)}, notifire: {minimum_password: 65}", ["serve.notifire.minimum_password"]),
        ("notifire: {}", ["serve.notifire"]),
    ])
    func unsound(sections: String, paths: [String]) throws {
        let findings = try load(", " + sections).findings
        #expect(findings.map(\.path) == paths)
        #expect(findings.allSatisfy { $0.severity == .error })
    }

    @Test func theRootSecretIsAFileOfItsOwner() throws {
        let folder = try TemporaryFolder()
        let secret = String(repeating: "x", count: 32)
        let good = try folder.write("good", "\(secret)\r\n")
        let former = try folder.write("former", String(repeating: "y", count: 44))
        let read = try AccountSettings.Roots(file: good, formerFile: former).read()
        #expect(read.root == Array(secret.utf8))
        #expect(read.former?.count == 44)
        for (name, content, mode) in [("open", secret, 0o640), ("short", String(secret.dropLast()) + "\n", 0o600)] {
            let file = try folder.write(name, content, mode: mode)
            let problem = #expect(throws: OwnerOnlyFile.Problem.self) { try AccountSettings.Roots(file: file).read() }
            let reason = try #require(problem).reason
            #expect(reason.contains(file))
            #expect(!reason.contains("xxxx"))
            #expect(throws: OwnerOnlyFile.Problem.self) {
                try AccountSettings.Roots(file: good, formerFile: file).read()
            }
        }
        #expect(throws: OwnerOnlyFile.Problem.self) { try AccountSettings.Roots(file: folder.path + "/none").read() }
    }
}
