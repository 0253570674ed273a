import Foundation
import Testing
import WaybillTestSupport

@testable import waybill

/// Exports of thirty numbers, in pages of ten, into a folder of its own.
struct CountedSource {
    static let pages = 3
    static let linesOfAPage = 10

    let folder: TemporaryFolder
    var path: String { "\(folder.path)/x" }
    var part: String { path + ".part" }
    var state: String { path + ".state" }
    var manifest: String { path + ".manifest.json" }

    init() throws { folder = try TemporaryFolder() }

    func makeRun(
        _ format: ExportFormat = .ndjson,
        _ limits: ExportLimits = ExportLimits(),
        resumes: Bool = true
    ) throws -> ExportRun {
        try ExportRun(format: format, path: path, resumes: resumes, limits: limits) { state in
            ExportSource(header: state.format == .csv ? "n\r\n" : "", filters: "f") { cursor in
                let page = cursor.flatMap { Int($0) } ?? 0
                let lines = (0..<Self.linesOfAPage).map { number in
                    state.format == .csv ? "\"\(page)\n\"\"\(number)\"\r\n" : "{\"n\":\"\(page)\\\"\(number)\"}\n"
                }
                return (lines, page + 1 < Self.pages ? "\(page + 1)" : nil)
            }
        }
    }

    /// Writes the first page and its state.
    func begin(_ format: ExportFormat = .ndjson, _ limits: ExportLimits = ExportLimits()) throws {
        var run = try makeRun(format, limits, resumes: false)
        #expect(try run.run { _ in false } == nil)
    }

    /// Goes on to the end.
    func end(_ format: ExportFormat = .ndjson, _ limits: ExportLimits = ExportLimits()) throws -> ExportManifest? {
        var run = try makeRun(format, limits)
        return try run.run { _ in true }
    }

    /// Changes a file of JSON.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - values: JSON by its key; `nil` removes one.
    /// - Throws: what the file or a value is no JSON for.
    func change(_ path: String, _ values: [String: String?]) throws {
        let data = try contents(path)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        for (key, value) in values {
            object[key] = try value.map {
                try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
            }
        }
        try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
    }

    /// Makes a state or a manifest one of an earlier release.
    func makeEarlier(_ path: String) throws { try change(path, ["form": nil, "sha256": nil, "given": nil]) }

    func contents(_ path: String) throws -> Data { try #require(FileManager.default.contents(atPath: path)) }
}
