import Glibc
import WaybillDeviceRegistry
import WaybillEncoding

/// The lines of an import that were not taken: number, field and reason, never the value.
///
/// Made with the first one.
final class RejectedLines {
    let path: String
    private var descriptor: Int32 = -1
    private(set) var bytes: Int64

    /// - Parameters:
    ///   - file: what is imported.
    ///   - kept: how many bytes an earlier run vouches for; what is behind them is cut off.
    /// - Throws: ``CommandFailure``.
    init(_ file: String, keeping kept: Int64) throws {
        path = file + ".rejects"
        bytes = kept
        if kept > 0 { try openFile() } else { unlink(path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func add(line: Int, _ fault: DeviceFault) throws {
        if descriptor < 0 { try openFile() }
        var object = JSONObject()
        object.add("line", line)
        object.add("field", fault.field.isEmpty ? nil : fault.field)
        object.add("reason", fault.reason)
        let text = Array((object.text + "\n").utf8)
        guard text.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == text.count else {
            throw failure("write")
        }
        bytes += Int64(text.count)
    }

    private func openFile() throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, off_t(bytes)) == 0,
            lseek(descriptor, off_t(bytes), SEEK_SET) == bytes
        else { throw failure("open") }
    }

    private func failure(_ verb: String) -> CommandFailure {
        CommandFailure(.unavailable, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
