import Glibc
import WaybillTLS

/// The file of an export while it grows: `NAME.part`, with its state in `NAME.state`, until it is whole.
///
/// What was written after the last state is cut off when an export goes on, so that it ends with the same bytes as one that
/// was never interrupted. It holds personal data, so nobody but its owner may read it.
struct ExportFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private var hasher = SHA256Hasher()
    private(set) var bytes: Int64 = 0

    private var part: String { path + ".part" }
    static func statePath(_ path: String) -> String { path + ".state" }

    /// Opens the file and leaves of it what its state vouches for.
    ///
    /// - Parameters:
    ///   - path: the name that the file gets at last.
    ///   - kept: how many bytes there are already; 0 begins anew.
    /// - Throws: ``CommandFailure`` when it cannot be written, or has fewer bytes.
    init(_ path: String, keeping kept: Int64) throws {
        self.path = path
        descriptor = open(path + ".part", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open", path + ".part") }
        try readBack(kept)
        guard ftruncate(descriptor, off_t(kept)) == 0, lseek(descriptor, off_t(kept), SEEK_SET) == kept else {
            throw Self.failure("cut", part)
        }
    }

    deinit { close(descriptor) }

    /// Takes what is there already into the checksum.
    private mutating func readBack(_ kept: Int64) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while bytes < kept {
            let wanted = min(buffer.count, Int(kept - bytes))
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
            guard count > 0 else {
                throw CommandFailure(.badInput, "\(part) is shorter than its state says; remove both to begin anew")
            }
            hasher.update(buffer[..<count])
            bytes += Int64(count)
        }
    }

    /// Appends a text.
    mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { text in
            var rest = UnsafeRawBufferPointer(text)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { throw Self.failure("write", path + ".part") }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        hasher.update(text.utf8)
        bytes += Int64(text.utf8.count)
    }

    /// Makes durable what was written.
    func synchronize() throws {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("write", part) }
    }

    /// Gives the file its name.
    ///
    /// - Returns: the checksum.
    consuming func finish() throws -> SHA256Digest {
        try synchronize()
        guard rename(part, path) == 0 else { throw Self.failure("rename", part) }
        unlink(Self.statePath(path))
        return hasher.finalize()
    }

    private static func failure(_ verb: String, _ path: String) -> CommandFailure {
        CommandFailure(.unavailable, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
