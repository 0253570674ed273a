import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// Which sections a command can do without.
@Suite("Roles")
struct RoleTests {
    private static let sections = [
        "broker": "broker:\n  url: amqp://localhost/\n",
        "store": "store:\n  url: mongodb://localhost/\n",
        "retention": "retention:\n  default: 30d\n",
        "mail": "mail:\n  from: a@b\n  folder: mails\n",
        "serve": "serve:\n  listen: 127.0.0.1:8080\n",
        "lanes": "lanes:\n  - {name: a, bundle_id: b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: k.p8}\n",
    ]

    @Test(
        "a role's own sections suffice, and without any one of them it does not load",
        arguments: ConfigurationRole.allCases
    )
    func sections(role: ConfigurationRole) throws {
        func load(_ names: [String]) throws -> LoadedConfiguration {
            let folder = try TemporaryFolder()
            let text = names.compactMap { Self.sections[$0] }.joined()
            let file = try folder.write("waybill.yaml", text.isEmpty ? "admin: {}\n" : text)
            return ConfigurationLoader.load(path: file, environment: [:], role: role)
        }
        let needed = role.sections.map(\.rawValue).sorted()
        #expect(try load(needed).findings == [])
        for name in needed {
            let findings = try load(needed.filter { $0 != name }).findings
            #expect(findings.hasErrors)
            #expect(findings.allSatisfy { $0.path.hasPrefix(name) }, "\(findings)")
        }
    }

    @Test("what is written is examined, whoever needs it")
    func examined() throws {
        let text = "store:\n  url: mongodb://localhost/\nbroker:\n  url: amqp://localhost/\n  max_in_flight: 0\n"
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", text)
        let findings = ConfigurationLoader.load(path: file, environment: [:], role: .logs).findings
        #expect(findings.map(\.path) == ["broker.max_in_flight"])
    }

    @Test("a secret of another command's section is not read")
    func secrets() throws {
        let text = "store:\n  url: mongodb://localhost/\nbroker:\n  url: amqp://u@localhost/\n  password_file: none\n"
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", text)
        #expect(ConfigurationLoader.load(path: file, environment: [:], role: .logs).findings == [])
        #expect(ConfigurationLoader.load(path: file, environment: [:], role: .rejected).findings.hasErrors)
    }

    @Test("a variable of the environment for a section that is not needed is no slip")
    func environment() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", "store:\n  url: mongodb://localhost/\n")
        let environment = ["WAYBILL_BROKER_URL": "amqp://localhost/", "WAYBILL_BROKER_PASSWORD": "hunter2"]
        #expect(ConfigurationLoader.load(path: file, environment: environment, role: .logs).findings == [])
    }
}
