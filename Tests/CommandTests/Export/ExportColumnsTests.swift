import Foundation
import Testing
import WaybillTLS

@testable import waybill

struct ExportColumnsTests {
    /// A file of two forms would be read wrongly from the middle on.
    @Test func anExportWithOtherColumnsIsNotGoneOnWith() throws {
        let source = try CountedSource()
        try source.begin(.csv)
        let older = try source.contents(source.part)
        // The same rows as by a version whose column had another name, with a state that vouches for them.
        let changed = Data("m".utf8) + older.dropFirst()
        try changed.write(to: URL(fileURLWithPath: source.part))
        try source.change(source.state, ["sha256": "\"\(SHA256Digest.of(changed))\""])
        let error = #expect(throws: CommandFailure.self) { try source.end(.csv) }
        #expect(error?.status == .badInput)
        #expect(error?.text.contains("has other columns than this version of waybill writes") == true)
        #expect(try source.contents(source.part) == changed)
    }

    @Test(arguments: ExportFormat.allCases) func oneWithTheSameColumnsIs(format: ExportFormat) throws {
        let source = try CountedSource()
        try source.begin(format)
        #expect(try source.end(format)?.records == CountedSource.pages * CountedSource.linesOfAPage)
    }
}

extension SHA256Digest {
    fileprivate static func of(_ data: Data) -> String {
        var hasher = SHA256Hasher()
        hasher.update(data)
        return hasher.finalize().hexadecimal
    }
}
