import Glibc

/// Reads the input as a whole: everything is examined before anything is published.
enum InputFile {
    /// The bytes of a file, or of standard input when the name is `-`.
    static func read(_ name: String) throws(CommandFailure) -> [UInt8] {
        let descriptor = name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name, errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(name, errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.noInput, "\(name): \(String(cString: strerror(code)))")
    }
}
