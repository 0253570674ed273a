import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// `scripts/check-schemas.py` runs the same examples through the schema: together the two keep loader and schema from
/// drifting.
@Suite("The schema's examples")
struct SchemaExampleTests {
    static func examples(valid: Bool) throws -> [SchemaExample] {
        try SchemaExample.all(of: "configuration", valid: valid)
    }

    func load(_ example: SchemaExample, role: ConfigurationRole = .all) throws -> LoadedConfiguration {
        try ConfigurationText.load(String(decoding: example.body, as: UTF8.self), role: role)
    }

    @Test("valid examples load without an error", arguments: try SchemaExampleTests.examples(valid: true))
    func valid(example: SchemaExample) throws {
        // One that is named after a command has what that one needs, and the others have everything.
        let role = ConfigurationRole(rawValue: example.name) ?? .all
        let loaded = try load(example, role: role)
        #expect(loaded.findings.filter { $0.severity == .error } == [])
        #expect(loaded.sections != nil)
        #expect(role != .all || loaded.configuration != nil)
    }

    @Test("invalid examples do not load", arguments: try SchemaExampleTests.examples(valid: false))
    func invalid(example: SchemaExample) throws {
        let loaded = try load(example)
        #expect(loaded.configuration == nil)
        #expect(loaded.findings.hasErrors)
    }

    @Test("there are examples of both kinds")
    func present() throws {
        #expect(try Self.examples(valid: true).count >= 2)
        #expect(try Self.examples(valid: false).count >= 20)
    }
}
