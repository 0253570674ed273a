import Foundation
import WaybillEncoding

/// How far an export has come: what stands beside its unfinished file.
struct ExportState: Codable, Equatable {
    var format: ExportFormat
    /// Where the next record is; `nil` at the beginning.
    var cursor: String?
    /// The bytes of the file that belong to the records before it.
    var bytes: Int64
    /// Of these bytes, in hexadecimal digits; `nil` where an earlier release wrote the state.
    var sha256: String?
    var records: Int
    /// The search's own limits, in milliseconds since 1970, so that they stay the same.
    var since: Int64?
    /// Of devices alone: until when they have been heard of.
    var before: Int64?
    /// Of devices, when the export began.
    var until: Int64

    /// Reads a state; `nil` where there is none.
    ///
    /// - Throws: ``CommandFailure`` for a file that is no state.
    static func read(_ path: String) throws -> ExportState? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        guard let state = try? JSONDecoder().decode(ExportState.self, from: data), state.bytes >= 0 else {
            throw CommandFailure(.badInput, "\(path) is not the state of an export; remove it to begin anew")
        }
        return state
    }

    /// Writes the state, so that there is always a whole one.
    func write(_ path: String) throws {
        do {
            try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(.unavailable, "cannot write \(path): \(error.localizedDescription)")
        }
    }
}

/// What an export says of itself when it is done.
struct ExportManifest: Codable, Equatable {
    var file: String
    var format: ExportFormat
    var records: Int
    var bytes: Int64
    /// Of the file, in hexadecimal digits.
    var sha256: String
    /// RFC 3339.
    var since: String?
    /// RFC 3339.
    var until: String
    var complete = true
    /// Tells the export's filters from others; `nil` where an earlier release wrote it.
    var filters: String?

    static func path(_ path: String) -> String { path + ".manifest.json" }

    /// That of an export which is whole: it has its name, and as many bytes as its manifest says.
    ///
    /// Its state may be there still: whoever made it was killed before it was removed.
    ///
    /// - Parameter path: of the export.
    /// - Returns: `nil` where that is not so.
    static func ofWholeExport(_ path: String) -> ExportManifest? {
        let files = FileManager.default
        guard files.fileExists(atPath: path), !files.fileExists(atPath: ExportLock.partPath(path)),
            let data = files.contents(atPath: Self.path(path)),
            let manifest = try? JSONDecoder().decode(ExportManifest.self, from: data),
            let size = try? files.attributesOfItem(atPath: path)[.size] as? Int64, size == manifest.bytes
        else { return nil }
        return manifest
    }
}
