import Glibc
import WaybillTLS

/// The file of an export while it grows: `NAME.part`, with its state in `NAME.state`, until it is whole.
///
/// What was written after the last state is cut off when an export goes on, so that it ends with the same bytes as one that
/// was never interrupted. It holds personal data, so nobody but its owner may read it.
struct ExportFile: ~Copyable {
    private let lock: ExportLock
    private var hasher = SHA256Hasher()
    private var lines: ExportLines
    private(set) var bytes: Int64 = 0

    private var path: String { lock.path }
    private var descriptor: Int32 { lock.descriptor }
    private var part: String { ExportLock.partPath(path) }
    static func statePath(_ path: String) -> String { path + ".state" }

    /// The checksum of what is there so far.
    var digest: SHA256Digest {
        var hasher = hasher
        return hasher.finalize()
    }

    /// Takes the file and leaves of it what its state vouches for.
    ///
    /// - Parameters:
    ///   - lock: holds the file.
    ///   - state: how many bytes of how many records there are already, and their checksum; no bytes begin anew.
    ///   - header: what it begins with.
    /// - Throws: ``CommandFailure`` when it cannot be written, or has fewer bytes, or others, or other records or columns.
    init(_ lock: ExportLock, keeping state: ExportState, header: String) throws {
        self.lock = lock
        lines = ExportLines(state.format)
        let kept = state.bytes
        try readBack(kept)
        guard state.sha256 == nil || state.sha256 == digest.hexadecimal else {
            throw CommandFailure(
                .badInput,
                "\(part) does not hold what was written to it: the checksum in \(Self.statePath(path)) is another one; remove "
                    + "both to begin anew"
            )
        }
        guard lines.records == state.records else {
            throw CommandFailure(
                .badInput,
                "\(part) holds other records than \(Self.statePath(path)) says: \(lines.records), not \(state.records); remove both "
                    + "to begin anew"
            )
        }
        guard kept == 0 || begins(with: header) else {
            throw CommandFailure(
                .badInput,
                "\(part) has other columns than this version of waybill writes; go on with the version that has begun it, or remove "
                    + "\(part) and \(Self.statePath(path)) to begin anew"
            )
        }
        guard ftruncate(descriptor, off_t(kept)) == 0, lseek(descriptor, off_t(kept), SEEK_SET) == kept else {
            throw Self.failure(path)
        }
    }

    private func begins(with header: String) -> Bool {
        var buffer = [UInt8](repeating: 0, count: header.utf8.count)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return count == buffer.count && buffer.elementsEqual(header.utf8)
    }

    /// Takes what is there already into the checksum.
    private mutating func readBack(_ kept: Int64) throws {
        bytes = Self.hash(descriptor, upTo: kept, into: &hasher, &lines)
        guard bytes == kept else {
            throw CommandFailure(.badInput, "\(part) is shorter than its state says; remove both to begin anew")
        }
    }

    /// Reads a file from where it stands, piece by piece.
    ///
    /// - Returns: how many bytes there were.
    private static func hash(
        _ descriptor: Int32,
        upTo limit: Int64 = .max,
        into hasher: inout SHA256Hasher,
        _ lines: inout ExportLines
    ) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var bytes: Int64 = 0
        while bytes < limit {
            let wanted = Int(min(Int64(buffer.count), limit - bytes))
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
            guard count > 0 else { break }
            buffer.withUnsafeBytes { buffer in
                let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                hasher.update(piece)
                lines.add(piece)
            }
            bytes += Int64(count)
        }
        return bytes
    }

    /// Of an export that has its name: its checksum, in hexadecimal digits, and how many records it holds.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be read.
    static func contents(ofWhole path: String, _ format: ExportFormat) throws -> (sha256: String, records: Int) {
        guard let descriptor = try OwnFile.descriptor(path, O_RDONLY) else {
            throw CommandFailure(.unavailable, "cannot read \(path): it is not there any more")
        }
        defer { close(descriptor) }
        var hasher = SHA256Hasher()
        var lines = ExportLines(format)
        _ = hash(descriptor, into: &hasher, &lines)
        return (hasher.finalize().hexadecimal, lines.records)
    }

    /// Appends a text.
    mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { text in
            var rest = UnsafeRawBufferPointer(text)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { throw Self.failure(path) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        hasher.update(text.utf8)
        bytes += Int64(text.utf8.count)
    }

    /// Makes durable what was written.
    func synchronize() throws {
        guard fdatasync(descriptor) == 0 else { throw Self.failure(path) }
    }

    /// Gives the file its name.
    ///
    /// - Parameter describe: says beside the file what is in it, before it has its name; it is given the checksum.
    /// - Throws: ``CommandFailure``, and what that throws; then the file keeps the name that it has while it grows.
    consuming func finish(_ describe: (SHA256Digest) throws -> Void) throws {
        try synchronize()
        try describe(hasher.finalize())
        guard rename(part, path) == 0 else { throw Self.failure(path) }
        unlink(Self.statePath(path))
    }

    /// What keeps an export from being written, by the name that its file gets at last: whoever exports knows it by that.
    private static func failure(_ path: String) -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(
            .unavailable,
            "cannot write \(path): \(reason); what there is of it is \(ExportLock.partPath(path)), and the same with --resume goes on"
        )
    }
}
