import Glibc
package import WaybillThreads

/// The NDJSON file of `--record`: buffered, written when much has gathered, each second, and at the end.
///
/// Used on the server's thread. Writing blocks for as long as the file system does.
package final class RecordFile {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var oldest: MonotonicTime?

    private static let flushSize = 256 * 1024
    private static let flushInterval = Duration.seconds(1)

    /// Creates the file, or empties one that exists.
    ///
    /// Readable by the owner alone: payloads may be private.
    package init(path: String) throws(SimulatorError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("opening \(path)") }
    }

    deinit {
        close(descriptor)
    }

    /// When ``flush()`` is due; `nil` while nothing waits.
    package var deadline: MonotonicTime? { oldest?.advanced(by: Self.flushInterval) }

    /// Adds a line.
    package func append(_ request: RecordedRequest, at time: MonotonicTime) throws(SimulatorError) {
        request.append(to: &buffer)
        if oldest == nil { oldest = time }
        if buffer.count >= Self.flushSize { try flush() }
    }

    /// Writes what waits.
    package func flush() throws(SimulatorError) {
        var written = 0
        while written < buffer.count {
            let count = buffer[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system("writing the record file") }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
        oldest = nil
    }
}
