import Glibc

/// Certificates and keys, from files.
enum FileBytes {
    /// The whole of a file.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - what: names it in the error, for example `the certificate`.
    /// - Returns: its content, at most 4 MiB.
    /// - Throws: `TLSError.badFile` naming the file and the system's reason.
    static func read(_ path: String, _ what: String) throws(TLSError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, what) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, what) }
            guard count > 0 else { return content }
            content += piece.prefix(count)
            guard content.count <= mostBytes else { throw TLSError(.badFile, "\(what) \(path) is too large") }
        }
    }

    private static let mostBytes = 4 << 20

    private static func failure(_ path: String, _ what: String) -> TLSError {
        TLSError(.badFile, "\(what) \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
