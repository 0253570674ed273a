package import Glibc
import WaybillEncoding

/// Small whole files.
package enum TextFile {
    /// Writes a file anew with exactly these permissions.
    package static func write(_ text: String, to path: String, mode: mode_t) throws(SimulatorError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system("creating \(path)") }
        defer { close(descriptor) }
        guard fchmod(descriptor, mode) == 0 else { throw .system("setting the mode of \(path)") }
        var text = text
        let isWritten = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
        guard isWritten else { throw .system("writing \(path)") }
    }

    /// Reads a file of at most 16 MiB, without a byte order mark.
    package static func read(_ path: String) throws(SimulatorError) -> [UInt8] {
        do throws(SmallFile.Problem) {
            return ByteOrderMark.removed(from: try SmallFile.read(path, limit: 16 << 20).bytes)
        } catch {
            throw SimulatorError(error.description)
        }
    }
}
