import Foundation
import Glibc
import WaybillEncoding
import WaybillTLS
import WaybillThreads

/// One export into a file, from its beginning or from its last state.
struct ExportRun {
    /// How often the state is written.
    private static let interval = Duration.seconds(1)

    let path: String
    private let source: ExportSource
    /// Until it is run.
    private var lock: ExportLock?
    private var state: ExportState
    /// Of an earlier run that has written all.
    private let finished: ExportManifest?

    /// Whether there was nothing left to do.
    var wasWhole: Bool { finished != nil }

    /// - Parameters:
    ///   - format: how.
    ///   - path: the file.
    ///   - resumes: whether to go on where an earlier run has ended, if there is one.
    ///   - since: the search's own limit, in milliseconds since 1970.
    ///   - before: that of devices, too.
    ///   - until: the search's own limit; `nil` for now.
    ///   - source: what is exported, by the limits of the state, which may be an earlier run's.
    /// - Throws: ``CommandFailure``.
    init(
        format: ExportFormat,
        path: String,
        resumes: Bool,
        since: Int64?,
        before: Int64? = nil,
        until: Int64? = nil,
        source: (ExportState) throws -> ExportSource
    ) throws {
        finished = resumes ? ExportManifest.ofWholeExport(path) : nil
        var lock: ExportLock?
        if finished == nil {
            try Self.requireFree(path)
            lock = try ExportLock(path)
            // Whoever held it may have finished meanwhile.
            try Self.requireFree(path)
        }
        let earlier = try ExportState.read(ExportFile.statePath(path))
        if earlier != nil, !resumes {
            throw CommandFailure(
                .badInput,
                "an earlier export to \(path) was not finished; --resume goes on with it, removing \(path).part and .state begins anew"
            )
        }
        if let earlier = earlier?.format ?? finished?.format, earlier != format {
            throw CommandFailure(.badInput, "the earlier export to \(path) is \(earlier.rawValue)")
        }
        state =
            earlier
            ?? ExportState(
                format: format,
                bytes: 0,
                records: 0,
                since: since,
                before: before,
                until: until ?? WallClock.milliseconds()
            )
        self.source = try source(state)
        if let filters = finished?.filters, filters != self.source.filters { throw ExportSource.otherFilters(path) }
        if let finished, try ExportFile.checksum(ofWhole: path) != finished.sha256 {
            throw CommandFailure(
                .badInput,
                "\(path) does not hold what was written to it: its checksum is not that of \(ExportManifest.path(path)); choose another "
                    + "name, or remove both"
            )
        }
        self.lock = lock
        self.path = path
    }

    private static func requireFree(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            let hint = ExportManifest.ofWholeExport(path) == nil ? "exists" : "is a whole export already"
            throw CommandFailure(.badInput, "\(path) \(hint); choose another name, or remove it")
        }
    }

    /// Writes all that is left.
    ///
    /// - Parameter proceeds: told after each page how many records there are so far; `false` ends the run with its state
    ///   written.
    /// - Returns: the manifest, which stands beside the file; `nil` if the run was ended.
    /// - Throws: what log and file say.
    mutating func run(_ proceeds: (Int) -> Bool) throws -> ExportManifest? {
        if let finished {
            unlink(ExportFile.statePath(path))
            return finished
        }
        let lock = try self.lock ?? ExportLock(path)
        self.lock = nil
        var file = try ExportFile(lock, keeping: state.bytes, checksum: state.sha256)
        if state.bytes == 0 { try file.write(source.header) }
        var saved = MonotonicTime.now()
        while true {
            let page = try source.page(state.cursor)
            for line in page.lines { try file.write(line) }
            state.records += page.lines.count
            state.cursor = page.next
            state.bytes = file.bytes
            let goesOn = proceeds(state.records)
            guard page.next != nil else { break }
            if !goesOn || MonotonicTime.now().duration(since: saved) >= Self.interval {
                try file.synchronize()
                state.sha256 = file.digest.hexadecimal
                try state.write(ExportFile.statePath(path))
                saved = .now()
            }
            guard goesOn else { return nil }
        }
        return try finish(file)
    }

    private func finish(_ file: consuming ExportFile) throws -> ExportManifest {
        var manifest = ExportManifest(
            file: URL(fileURLWithPath: path).lastPathComponent,
            format: state.format,
            records: state.records,
            bytes: state.bytes,
            sha256: "",
            since: state.since.map(TimeText.text(milliseconds:)),
            until: TimeText.text(milliseconds: state.until),
            filters: source.filters
        )
        try file.finish { digest in
            manifest.sha256 = digest.hexadecimal
            try write(manifest)
        }
        return manifest
    }

    private func write(_ manifest: ExportManifest) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let text = try encoder.encode(manifest) + Data("\n".utf8)
            try text.write(to: URL(fileURLWithPath: ExportManifest.path(path)), options: .atomic)
        } catch {
            throw CommandFailure(.unavailable, "cannot write \(path).manifest.json: \(error.localizedDescription)")
        }
    }
}
