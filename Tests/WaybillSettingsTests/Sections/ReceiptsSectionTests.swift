import Testing
import WaybillCore
import WaybillProviders
import WaybillTestSupport

@testable import WaybillSettings

/// `receipts`, `serve.receipts` and a lane's `receipt`, held against each other.
struct ReceiptsSectionTests {
    private static let secret = String(repeating: "s", count: 40)

    private func load(
        _ more: String,
        keys: String = "k2 \(secret)\nk1 \(String(repeating: "t", count: 40))\n",
        mode: Int = 0o600,
        role: ConfigurationRole = .dispatch
    ) throws -> (LoadedConfiguration, TemporaryFolder) {
        let folder = try TemporaryFolder()
        _ = try folder.write("keys", keys, mode: mode)
        let file = try folder.write("waybill.yaml", ConfigurationText.minimal + more)
        return (ConfigurationLoader.load(path: file, environment: [:], role: role), folder)
    }

    private static let section = "receipts: {key_file: keys, keep_for: 90d}\n"
    private static let lane = """
          - name: alarms
            bundle_id: com.example.alarms
            team_id: ABCDE12345
            key_id: ABC123DEFG
            key_file: key.p8
            receipt: true

        """

    @Test func lanesHaveWhatTheSectionMakesPossible() throws {
        let (loaded, folder) = try load(Self.lane + Self.section)
        let sections = try #require(loaded.sections)
        #expect(sections.lanes.map(\.receipts) == [.onRequest, .byDefault])
        #expect(sections.lanes.map(\.lane.receipts) == [.onRequest, .byDefault])
        let receipts = try #require(loaded.configuration?.receipts)
        #expect(
            receipts
                == ReceiptSettings(keyFile: folder.path + "/keys", lifetime: .seconds(2_592_000), retention: .days(90))
        )
        #expect(try receipts.readKeys().ids == ["k2", "k1"])
    }

    @Test func withoutTheSectionNothingIsPossible() throws {
        let (loaded, _) = try load("")
        #expect(loaded.sections?.lanes.map(\.receipts) == [.unavailable])
        #expect(loaded.sections?.receipts == nil)
    }

    @Test func whatNeedsTheSectionSaysSo() throws {
        let (lane, _) = try load(Self.lane)
        #expect(lane.findings.map(\.path) == ["lanes[1].receipt"])
        #expect(lane.findings.first?.message == "needs keys: write a section receipts")
        let (serve, _) = try load("serve: {listen: \"127.0.0.1:8080\", receipts: true}\n", role: .serve)
        #expect(serve.findings.map(\.path) == ["serve.receipts"])
    }

    /// What is written of `serve`, and whether receipts are taken there.
    @Test(arguments: [("", true), (", receipts: true", true), (", receipts: false", false)])
    func serveTakesThemUnlessItIsToldNotTo(more: String, takes: Bool) throws {
        let (loaded, _) = try load("serve: {listen: \"127.0.0.1:8080\"\(more)}\n" + Self.section, role: .serve)
        #expect((loaded.sections?.serve?.receipts != nil) == takes)
    }

    @Test(arguments: [
        ("receipts: {keep_for: 90d}", "receipts.key_file", "is missing"),
        ("receipts: {key_file: keys}", "receipts.keep_for", "is missing"),
        ("receipts: {key_file: keys, keep_for: soon}", "receipts.keep_for", "must be whole days"),
        ("receipts: {key_file: keys, keep_for: keep, valid_for: 5m}", "receipts.valid_for", "is 5m, allowed: 1h"),
        ("receipts: {key_file: elsewhere, keep_for: keep}", "receipts.key_file", ""),
    ])
    func whatIsWrongIsNamed(text: String, path: String, words: String) throws {
        let (loaded, _) = try load(text + "\n")
        #expect(loaded.findings.map(\.path) == [path])
        #expect(loaded.findings.first?.message.hasPrefix(words) == true, "\(loaded.findings)")
    }

    @Test func keysThatOthersCanReadAreRefusedAndNoneIsRepeated() throws {
        let (open, _) = try load(Self.section, mode: 0o644)
        #expect(open.findings.map(\.category) == [.permission])
        let (bad, _) = try load(Self.section, keys: "k1 \(Self.secret) more\n")
        #expect(bad.findings.map(\.path) == ["receipts.key_file"])
        #expect(!bad.findings.map(\.message).joined().contains(Self.secret))
    }

    /// Whoever neither makes nor checks capabilities need not be able to read the keys.
    @Test(arguments: [ConfigurationRole.prune, .logs, .schedule, .hooks, .initialise])
    func othersLeaveTheKeysAlone(role: ConfigurationRole) throws {
        let (loaded, _) = try load(
            Self.section + "mail: {from: a@example.com, folder: /tmp}\n",
            mode: 0o644,
            role: role
        )
        #expect(!loaded.findings.contains { $0.path == "receipts.key_file" })
    }

    @Test func checkSaysWhichKeysThereAre() throws {
        let (loaded, folder) = try load(Self.section)
        let sections = try #require(loaded.sections)
        let found = withExtendedLifetime(folder) {
            KeyChecks.run(sections, role: .dispatch).filter { $0.path == "receipts.key_file" }
        }
        #expect(found.map(\.severity) == [.ok])
        #expect(
            found.first?.message.hasSuffix("holds k2, which makes capabilities, and k1, which only checks them") == true
        )
    }
}
