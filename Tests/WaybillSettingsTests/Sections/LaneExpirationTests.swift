import Testing
import WaybillProviders

@testable import WaybillSettings

/// `expiration` of a lane.
struct LaneExpirationTests {
    private static func load(_ lines: String) throws -> LoadedConfiguration {
        let text = try ConfigurationText.minimal(replacing: "    bundle_id:", with: "\(lines)    bundle_id:")
        return try ConfigurationText.load(text)
    }

    @Test(
        arguments: [
            ("24h", .after(86_400)), ("28d", .after(2_419_200)), ("1s", .after(1)), ("1500ms", .after(1)),
            ("0", .immediate), ("none", .absent),
        ] as [(String, LaneExpiration)]
    )
    func readsSetting(text: String, expected: LaneExpiration) throws {
        let loaded = try Self.load("    expiration: \(text)\n")
        #expect(loaded.findings == [])
        #expect(try #require(loaded.configuration).lanes[0].lane.expiration == expected)
    }

    @Test func hasNoDefaultOfItsOwn() throws {
        #expect(try #require(Self.load("").configuration).lanes[0].lane.expiration == nil)
    }

    @Test(arguments: ["29d", "500ms", "0s", "-1", "86400", "never", "null", "[24h]"])
    func rejectsOthers(text: String) throws {
        let loaded = try Self.load("    expiration: \(text)\n")
        #expect(loaded.configuration == nil)
        #expect(loaded.findings.contains { $0.severity == .error && $0.path == "lanes[0].expiration" })
    }
}
