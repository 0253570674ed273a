package import Glibc

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

    /// Reads a file of at most 16 MiB.
    package static func read(_ path: String) throws(SimulatorError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("opening \(path)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("reading \(path)") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= 16 << 20 else { throw SimulatorError("\(path): larger than 16 MiB") }
        }
    }
}
