import Testing
import WaybillProviders
import WaybillSimulator
import WaybillTestSupport

@testable import WaybillSettings

/// Lanes of `provider: fcm`.
struct FCMLaneTests {
    private static let others = """
        broker:
          url: amqp://localhost/
        store:
          url: mongodb://localhost/
        retention:
          default: 30d
        lanes:
          - name: android
            provider: fcm

        """

    private static func load(_ lines: String..., key: String? = nil) throws -> (TemporaryFolder, LoadedConfiguration) {
        let folder = try TemporaryFolder()
        if let key { _ = try folder.write("key.json", key, mode: 0o600) }
        let text = others + lines.map { "    \($0)\n" }.joined()
        let file = try folder.write("waybill.yaml", text)
        return (folder, ConfigurationLoader.load(path: file, environment: [:]))
    }

    private static func key() throws -> String {
        try SimulatorServiceAccount.generate().keyFile(tokenURI: "https://localhost:1/token")
    }

    @Test func whatALaneSays() throws {
        let (folder, loaded) = try Self.load(
            "project: parcels-4711",
            "service_account_file: key.json",
            "messages_per_second: 100",
            "max_age: 1h"
        )
        let lane = try #require(loaded.sections?.lanes.first, "\(loaded.findings)")
        #expect(lane.fcm?.rules == FCMLane(project: "parcels-4711"))
        #expect(lane.fcm?.serviceAccountFile == "\(folder.path)/key.json")
        #expect(lane.fcm?.messagesPerSecond == 100)
        #expect(lane.connections == 10)
        #expect(lane.effectiveEndpoint == LaneEndpoint(host: "fcm.googleapis.com", port: 443))
        #expect(lane.lane.environment == nil && lane.lane.provider.app == "parcels-4711")
    }

    @Test func theProjectIsTheKeysUnlessItIsNamed() throws {
        let (_, loaded) = try Self.load("service_account_file: key.json", key: try Self.key())
        #expect(loaded.sections?.lanes.first?.fcm?.rules.project == "waybill-demo")
        #expect(loaded.sections?.lanes.first?.fcm?.messagesPerSecond == nil)
        let (_, without) = try Self.load("service_account_file: key.json")
        #expect(
            without.findings.contains {
                $0.path == "lanes[0].project" && $0.message.hasPrefix("is missing, and the key's own")
            }
        )
    }

    @Test(
        arguments: [
            ("project: parcels", "service_account_file", "is missing"),
            ("service_account_file: k\n    project: a b", "project", "may hold letters"),
            (
                "service_account_file: k\n    project: p\n    bundle_id: com.example.app", "bundle_id",
                "is not a known setting"
            ),
            (
                "service_account_file: k\n    project: p\n    environment: sandbox", "environment",
                "is not a known setting"
            ),
            (
                "service_account_file: k\n    project: p\n    messages_per_second: 0", "messages_per_second",
                "is 0, allowed"
            ),
        ]
    )
    func whatIsWrongIsNamed(lines: String, setting: String, words: String) throws {
        let (_, loaded) = try Self.load(lines)
        let found = loaded.findings.filter { $0.path == "lanes[0].\(setting)" && $0.severity == .error }
        #expect(found.count == 1, "\(loaded.findings)")
        if words != "is not a known setting" { #expect(found.first?.message.hasPrefix(words) == true) }
    }

    // MARK: - The key

    private static func checked(_ key: String, mode: Int = 0o600) throws -> Finding {
        let folder = try TemporaryFolder()
        _ = try folder.write("key.json", key, mode: mode)
        let text = others + "    project: waybill-demo\n    service_account_file: key.json\n"
        let loaded = ConfigurationLoader.load(path: try folder.write("waybill.yaml", text), environment: [:])
        let sections = try #require(loaded.sections)
        return try #require(KeyChecks.run(sections).first)
    }

    @Test func aKeyThatOnlyItsOwnerReadsIsFine() throws {
        let finding = try Self.checked(try Self.key())
        #expect(finding.severity == .ok, "\(finding.message)")
        #expect(finding.path == "lanes[0].service_account_file")
    }

    @Test(arguments: [0o640, 0o604]) func aKeyThatOthersReadIsRefused(mode: Int) throws {
        let finding = try Self.checked(try Self.key(), mode: mode)
        #expect(finding.severity == .error && finding.category == .permission)
    }

    @Test(
        arguments: [
            ("{}", "type is missing"), ("no json", "it is not JSON: unexpected character at byte 1"),
            (#"{"type":"authorized_user"}"#, "only the key of a service_account can be used"),
            ("\u{FEFF}{}", "type is missing"),
            (#"{"project_info": {"project_id": "parcels"}, "client": []}"#, "needed is the key of a service account"),
        ]
    )
    func whatIsNoKeyIsRefused(text: String, words: String) throws {
        let finding = try Self.checked(text)
        #expect(finding.severity == .error && finding.message.contains(words), "\(finding.message)")
    }
}
