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
    ///   - limits: the search's own; without an end it ends now.
    ///   - source: what is exported, by the limits of the state, which may be an earlier run's.
    /// - Throws: ``CommandFailure``.
    init(
        format: ExportFormat,
        path: String,
        resumes: Bool,
        limits: ExportLimits,
        source: (ExportState) throws -> ExportSource
    ) throws {
        finished = resumes ? try ExportManifest.ofWholeExport(path) : nil
        var lock: ExportLock?
        if finished == nil {
            try Self.requireFree(path)
            lock = try ExportLock(path)
            // Whoever held it may have finished meanwhile.
            try Self.requireFree(path)
            // Better now than when all is written.
            try OwnFile.requireReplaceable(ExportManifest.path(path))
        }
        // That of a whole export was left by whoever was killed before it was removed.
        let earlier = finished == nil ? try ExportState.read(ExportFile.statePath(path)) : nil
        if earlier != nil, !resumes {
            throw CommandFailure(
                .badInput,
                "an earlier export to \(path) was not finished; --resume goes on with it, and without \(path).part and \(path).state it begins anew"
            )
        }
        if let earlier = earlier?.format ?? finished?.format, earlier != format {
            throw CommandFailure(.badInput, "the earlier export to \(path) is \(earlier.rawValue)")
        }
        guard earlier.map(limits.areThose(of:)) ?? true, finished.map(limits.areThose(of:)) ?? true else {
            throw ExportSource.otherFilters(path)
        }
        state = earlier ?? ExportState(format: format, limits: limits)
        // What an earlier release began is gone on with in the present form.
        state.form = ExportState.presentForm
        state.given = limits.texts
        self.source = try source(state)
        if let filters = finished?.filters, filters != self.source.filters { throw ExportSource.otherFilters(path) }
        if let finished { try Self.require(finished, at: path) }
        self.lock = lock
        self.path = path
    }

    /// - Throws: ``CommandFailure`` for a file that is not what its manifest says.
    private static func require(_ manifest: ExportManifest, at path: String) throws {
        let contents = try ExportFile.contents(ofWhole: path, manifest.format)
        guard contents.sha256 == manifest.sha256, contents.records == manifest.records else {
            let differs = contents.sha256 == manifest.sha256 ? "number of records" : "checksum"
            throw CommandFailure(
                .badInput,
                "\(path) does not hold what was written to it: its \(differs) is not that of \(ExportManifest.path(path)); choose "
                    + "another name, or remove both"
            )
        }
    }

    private static func requireFree(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            let hint = try ExportManifest.ofWholeExport(path) == nil ? "exists" : "is a whole export already"
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
        var file = try ExportFile(lock, keeping: state, header: source.header)
        if state.bytes == 0 { try file.write(source.header) }
        var saved = MonotonicTime.now()
        while true {
            let page = try source.page(state.cursor)
            for line in page.lines {
                // A cell of CSV has no escapes: who writes one has seen to it (``CSVText``).
                try file.write(state.format == .csv ? line : JSONText.terminalSafe(line))
            }
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
            filters: source.filters,
            given: state.given
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
        try OwnFile.replace(ExportManifest.path(path), with: try encoder.encode(manifest) + Data("\n".utf8))
    }
}
