import Foundation
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillTLS
import WaybillThreads

/// One import of a file, from its beginning or from its last state.
///
/// It holds one page of devices at a time. A page that was written and not noted is registered again after a crash, which changes
/// nothing but the counts.
struct DeviceImport {
    static let pageSize = 1000
    /// How often the state is written.
    private static let interval = Duration.seconds(1)

    let path: String
    /// `nil` writes nothing, neither to the registry nor beside the file.
    let registrar: DeviceRegistrar?
    /// Of devices that do not say; `nil` leaves them without.
    let registeredAt: Int64?
    private(set) var state: DeviceImportState
    /// Of a run that writes nothing, the first ``mostFaults`` lines that cannot be taken, and why.
    private(set) var faults: [(line: Int, fault: DeviceFault)] = []
    static let mostFaults = 1000
    /// The first lines of which a field was left out, and why.
    private(set) var warnings: [(line: Int, fault: DeviceFault)] = []
    private static let mostWarnings = 10
    private var lastLine: LineFile.Line?

    /// - Throws: ``CommandFailure``.
    init(path: String, format: DeviceFormat, registrar: DeviceRegistrar?, registeredAt: Int64?, resumes: Bool) throws {
        self.path = path
        self.registrar = registrar
        self.registeredAt = registeredAt
        let earlier = try DeviceImportState.read(DeviceImportState.path(path))
        if let earlier, registrar != nil {
            guard resumes else {
                throw CommandFailure(
                    .badInput,
                    "an earlier import of \(path) was not finished; --resume goes on with it, removing \(DeviceImportState.path(path)) begins anew"
                )
            }
            guard earlier.format == format else {
                throw CommandFailure(.badInput, "the earlier import of \(path) took it for \(earlier.format.rawValue)")
            }
            state = earlier
        } else {
            state = DeviceImportState(format: format)
        }
    }

    /// Registers all devices that are left.
    ///
    /// - Parameter proceeds: told after each page how many lines there were so far; `false` ends the run with its state written.
    /// - Returns: whether the file is done.
    /// - Throws: ``CommandFailure`` for the file, and what the store says.
    mutating func run(_ proceeds: (Int) -> Bool) throws -> Bool {
        let file = try resumedFile()
        let rejected = registrar == nil ? nil : try RejectedLines(path, keeping: state.rejectedBytes)
        var lines = DeviceLines(format: state.format, columns: state.columns)
        var saved = MonotonicTime.now()
        var page: [DeviceEntry] = []
        var goesOn = true
        while goesOn {
            let line = try file.next()
            if let line {
                try take(line, &lines, &page, rejected)
                guard page.count == Self.pageSize else { continue }
            }
            try register(page)
            page = []
            state.rejectedBytes = rejected?.bytes ?? 0
            guard line != nil else { break }
            goesOn = proceeds(state.counts.lines)
            if registrar != nil, !goesOn || MonotonicTime.now().duration(since: saved) >= Self.interval {
                state.checksum = lastLine.map(Self.checksum) ?? ""
                try state.write(DeviceImportState.path(path))
                saved = .now()
            }
        }
        guard goesOn else { return false }
        if registrar != nil { try? FileManager.default.removeItem(atPath: DeviceImportState.path(path)) }
        return true
    }

    /// The file behind the lines that are done.
    private func resumedFile() throws -> LineFile {
        guard state.offset > 0 else { return try LineFile(path) }
        let file = try LineFile(path, offset: max(0, state.offset - Int64(LineFile.longestLine) - 2))
        var last: LineFile.Line?
        while let line = try file.next(), line.end <= state.offset { last = line }
        guard last?.end == state.offset, last.map(Self.checksum) == state.checksum else {
            throw CommandFailure(
                .badInput,
                "\(path) has changed since the earlier import; remove its state to begin anew"
            )
        }
        return try LineFile(path, offset: state.offset, line: state.line)
    }

    private mutating func take(
        _ line: LineFile.Line,
        _ lines: inout DeviceLines,
        _ page: inout [DeviceEntry],
        _ rejected: RejectedLines?
    ) throws {
        state.offset = line.end
        state.line = line.number
        lastLine = line
        if state.format == .csv, lines.columns == nil { return try readHeader(line, &lines) }
        do throws(DeviceFault) {
            guard let bytes = line.bytes else {
                throw DeviceFault(field: "", reason: "is longer than \(LineFile.longestLine) bytes")
            }
            guard let form = try lines.form(bytes) else { return }
            let now = WallClock.milliseconds()
            let entry = try form.entry(registeredAt: registeredAt, now: now, time: TimeText.date)
            page.append(entry)
            state.counts.lines += 1
            guard let warning = entry.warnings.first else { return }
            state.counts.warned = (state.counts.warned ?? 0) + 1
            if warnings.count < Self.mostWarnings { warnings.append((line.number, warning)) }
        } catch {
            state.counts.lines += 1
            state.counts.rejected += 1
            try rejected?.add(line: line.number, error)
            if registrar == nil, faults.count < Self.mostFaults { faults.append((line.number, error)) }
        }
    }

    private mutating func readHeader(_ line: LineFile.Line, _ lines: inout DeviceLines) throws {
        do throws(DeviceFault) {
            try lines.takeHeader(line.bytes ?? [])
        } catch {
            throw CommandFailure(.badInput, "\(path): the first line names the columns; \(error.field) \(error.reason)")
        }
        state.columns = lines.columns
    }

    private mutating func register(_ page: [DeviceEntry]) throws {
        guard let registrar, !page.isEmpty else { return }
        let (outcomes, retired) = try registrar.register(page, now: WallClock.milliseconds())
        for outcome in outcomes {
            switch outcome {
            case .registered: state.counts.registered += 1
            case .again: state.counts.again += 1
            case .seen, .updated: state.counts.updated += 1
            case .recent: state.counts.unchanged += 1
            case .older: state.counts.older += 1
            }
        }
        state.counts.retired += retired
    }

    private static func checksum(_ line: LineFile.Line) -> String {
        SHA256Hasher.digest(of: line.bytes ?? []).hexadecimal
    }
}
