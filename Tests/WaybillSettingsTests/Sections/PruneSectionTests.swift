import Testing
import WaybillCore

@testable import WaybillSettings

@Suite("The fuse of prune")
struct PruneSectionTests {
    private func load(_ prune: String) throws -> LoadedConfiguration {
        try ConfigurationText.load(ConfigurationText.minimal + "\nprune:\n  fuse: \(prune)\n", role: .prune)
    }

    @Test("it is on, with defaults, unless it is off", arguments: [("on", true), ("off", false), ("{}", true)])
    func word(_ text: String, _ isOn: Bool) throws {
        let loaded = try load(text)
        #expect(loaded.findings == [])
        #expect(loaded.sections?.prune == FusePolicy(isOn: isOn))
    }

    @Test("without the section it is on")
    func absent() throws {
        let loaded = try ConfigurationText.load(ConfigurationText.minimal, role: .prune)
        #expect(loaded.sections?.prune == FusePolicy())
    }

    @Test(
        "what cannot be is named, with its limits",
        arguments: [
            ("never", "prune.fuse", "must be off, on, or a section"),
            ("{count: 0}", "prune.fuse.count", "allowed: 1 to 1000000"),
            ("{percent: 100}", "prune.fuse.percent", "allowed: 1 to 99"),
            ("{multiple: 0}", "prune.fuse.multiple", "allowed: 1 to 1000"),
            ("{window: 30s}", "prune.fuse.window", "allowed: 1m to 1h"),
            ("{window: 90s}", "prune.fuse.window", "must be whole minutes"),
            ("{most_held: 10}", "prune.fuse.most_held", "allowed: 1000 to 100000000"),
            ("{counts: 5}", "prune.fuse.counts", "did you mean count?"),
        ]
    )
    func mistakes(_ text: String, _ path: String, _ words: String) throws {
        let finding = try #require(try load(text).findings.first)
        #expect(finding.path == path)
        #expect(finding.message.contains(words), "\(finding.message)")
    }
}
