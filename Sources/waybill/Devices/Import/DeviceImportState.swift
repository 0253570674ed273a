import Foundation

/// What an import has done so far.
struct DeviceImportCounts: Codable, Equatable {
    /// Lines with something in them, without the heading: those that were taken and those that were rejected.
    var lines = 0
    var registered = 0
    var again = 0
    /// Known before, and seen later or changed.
    var updated = 0
    /// Known before, nothing new.
    var unchanged = 0
    /// The registry, or another line, knows of a later time.
    var older = 0
    /// Other tokens of the same devices that were disabled.
    var retired = 0
    var rejected = 0
    /// Lines of which a field was left out; `nil`, as in states of former releases: none.
    var warned: Int?

    /// Lines with a device.
    var taken: Int { lines - rejected }
}

/// How far an import has come: what stands beside its file.
struct DeviceImportState: Codable, Equatable {
    var format: DeviceFormat
    /// Where the next line begins.
    var offset: Int64 = 0
    /// Lines before that.
    var line = 0
    var columns: [String]?
    /// Of the line before that, so that another file is not taken for this one.
    var checksum = ""
    var rejectedBytes: Int64 = 0
    var counts = DeviceImportCounts()

    static func path(_ file: String) -> String { file + ".import-state" }

    /// - Returns: `nil` where there is none.
    /// - Throws: ``CommandFailure`` for a file that is no state.
    static func read(_ path: String) throws -> DeviceImportState? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        guard let state = try? JSONDecoder().decode(DeviceImportState.self, from: data), state.offset >= 0 else {
            throw CommandFailure(.badInput, "\(path) is not the state of an import; remove it to begin anew")
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
