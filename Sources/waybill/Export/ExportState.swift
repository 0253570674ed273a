import Foundation
import WaybillEncoding
import WaybillThreads

/// How far an export has come: what stands beside its unfinished file.
struct ExportState: Codable, Equatable {
    /// That which has `form`, `sha256` and `given`.
    ///
    /// A state of an earlier release has none of them.
    static let presentForm = 2

    /// ``presentForm``; `nil` where an earlier release wrote the state.
    var form: Int?
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
    /// The limits as they were given (``ExportLimits/texts``); `nil` where an earlier release wrote the state.
    var given: [String: String]?

    /// At the beginning.
    init(format: ExportFormat, limits: ExportLimits) {
        form = Self.presentForm
        self.format = format
        bytes = 0
        records = 0
        since = limits.since?.milliseconds
        before = limits.before?.milliseconds
        until = limits.until?.milliseconds ?? WallClock.milliseconds()
        given = limits.texts
    }

    /// Reads a state; `nil` where there is none.
    ///
    /// - Throws: ``CommandFailure`` for a file that is no state, and for a state that does not fit together.
    static func read(_ path: String) throws -> ExportState? {
        guard let bytes = try OwnFile.contents(path) else { return nil }
        guard let state = try? JSONDecoder().decode(ExportState.self, from: Data(bytes)) else {
            throw CommandFailure(.badInput, "\(path) is not the state of an export; remove it to begin anew")
        }
        if let contradiction = state.contradiction {
            throw CommandFailure(
                .badInput,
                "\(path) does not fit together: \(contradiction); remove it and the .part file to begin anew"
            )
        }
        return state
    }

    /// Writes the state, so that there is always a whole one.
    func write(_ path: String) throws {
        try OwnFile.replace(path, with: try JSONEncoder().encode(self))
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
    /// The limits as they were given (``ExportLimits/texts``); `nil` where an earlier release wrote it.
    var given: [String: String]?

    static func path(_ path: String) -> String { path + ".manifest.json" }

    /// That of an export which is whole: it has its name, and as many bytes as its manifest says.
    ///
    /// Its state may be there still: whoever made it was killed before it was removed.
    ///
    /// - Parameter path: of the export.
    /// - Returns: `nil` where that is not so.
    /// - Throws: ``CommandFailure`` for a manifest that is no regular file of this user's own.
    static func ofWholeExport(_ path: String) throws -> ExportManifest? {
        let files = FileManager.default
        guard files.fileExists(atPath: path), !files.fileExists(atPath: ExportLock.partPath(path)),
            let bytes = try OwnFile.contents(Self.path(path)),
            let manifest = try? JSONDecoder().decode(ExportManifest.self, from: Data(bytes)),
            let size = try? files.attributesOfItem(atPath: path)[.size] as? Int64, size == manifest.bytes
        else { return nil }
        return manifest
    }
}
