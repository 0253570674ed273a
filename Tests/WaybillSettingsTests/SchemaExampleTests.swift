import Foundation
import Testing

@testable import WaybillSettings

/// The examples that are next to the configuration's JSON Schema.
enum SchemaExamples {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("schemas/examples/configuration").path

    static func files(_ kind: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(kind)")) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\(kind)/\($0)" }
    }
}

/// `scripts` run the same files through the schema: together the two tests keep loader and schema from drifting.
@Suite("The schema's examples")
struct SchemaExampleTests {
    @Test("valid examples load without an error", arguments: SchemaExamples.files("valid"))
    func valid(file: String) {
        // A file named after a command has what that one needs, and the others have everything.
        let name = file.split(separator: "/").last?.dropLast(".yaml".count) ?? ""
        let role = ConfigurationRole(rawValue: String(name)) ?? .all
        let loaded = ConfigurationLoader.load(path: file, environment: [:], role: role)
        #expect(loaded.findings.filter { $0.severity == .error } == [])
        #expect(loaded.sections != nil)
        #expect(role != .all || loaded.configuration != nil)
    }

    @Test("invalid examples do not load", arguments: SchemaExamples.files("invalid"))
    func invalid(file: String) {
        let loaded = ConfigurationLoader.load(path: file, environment: [:])
        #expect(loaded.configuration == nil)
        #expect(loaded.findings.hasErrors)
    }

    @Test("there are examples of both kinds")
    func present() {
        #expect(SchemaExamples.files("valid").count >= 2)
        #expect(SchemaExamples.files("invalid").count >= 20)
    }
}
