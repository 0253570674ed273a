import Foundation
import Testing

@testable import waybill

/// A state that was changed, or is damaged, neither ends the program nor becomes a manifest.
struct ExportStateTests {
    private static let changes: [(key: String, value: String?)] = [
        ("records", "9223372036854775807"), ("records", "9223372036854775800"), ("records", "-1"), ("records", "0"),
        ("records", "11"), ("records", "1.5"), ("records", "99999999999999999999"), ("bytes", "-1"), ("bytes", "0"),
        ("bytes", "20"), ("bytes", "9223372036854775807"), ("cursor", nil), ("cursor", "null"), ("cursor", "\"\""),
        ("sha256", nil), ("sha256", "null"), ("sha256", "\"\""), ("sha256", "\"\(String(repeating: "0", count: 64))\""),
        ("form", nil), ("form", "null"), ("form", "1"), ("form", "3"), ("given", nil), ("given", "null"),
        ("given", "{\"since\":\"1d\"}"), ("since", "1"), ("before", "1"), ("until", "9223372036854775807"),
        ("until", "-9223372036854775808"), ("until", nil), ("format", nil),
    ]

    @Test(arguments: ExportFormat.allCases) func whatDoesNotFitTogetherIsRefused(format: ExportFormat) throws {
        let source = try CountedSource()
        try source.begin(format)
        let state = try source.contents(source.state)
        let part = try source.contents(source.part)
        for (key, value) in Self.changes {
            try source.change(source.state, [key: value])
            let comment = Comment(rawValue: "\(key): \(value ?? "removed")")
            #expect(comment) { try source.end(format) } throws: { ($0 as? CommandFailure)?.status == .badInput }
            #expect(try source.contents(source.part) == part, comment)
            #expect(!FileManager.default.fileExists(atPath: source.manifest), comment)
            try state.write(to: URL(fileURLWithPath: source.state))
        }
        #expect(try source.end(format)?.records == 30)
    }

    /// It has nothing of the present form, and its records are counted all the same.
    @Test(arguments: ExportFormat.allCases) func aStateOfAnEarlierReleaseIsGoneOnWith(format: ExportFormat) throws {
        let source = try CountedSource()
        try source.begin(format)
        try source.makeEarlier(source.state)
        try source.change(source.state, ["records": "11"])
        #expect { try source.end(format) } throws: {
            ($0 as? CommandFailure)?.text.contains("holds other records than") == true
        }
        try source.change(source.state, ["records": "10"])
        var run = try source.makeRun(format)
        #expect(try run.run { _ in false } == nil)
        let state = try #require(try ExportState.read(source.state))
        #expect(state.form == ExportState.presentForm && state.sha256?.count == 64 && state.given == [:])
        #expect(try source.end(format)?.records == 30)
    }

    @Test func aWholeExportHasTheRecordsOfItsManifest() throws {
        let source = try CountedSource()
        try source.begin()
        #expect(try source.end()?.records == 30)
        try source.change(source.manifest, ["records": "31"])
        #expect { try source.end() } throws: {
            ($0 as? CommandFailure)?.text.contains("its number of records is not that of") == true
        }
    }
}
