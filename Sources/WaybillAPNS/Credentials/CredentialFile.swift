import Glibc

/// Reads a key or certificate file as a whole.
enum CredentialFile {
    /// Keys and chains are a few kilobytes; whatever is larger is something else.
    static let largestSize = 64 * 1024

    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials``, naming the file.
    static func read(_ path: String) throws(APNSSetupError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe that stands in the file's place would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw problem(path, errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: largestSize + 1)
        var count = 0
        while count < bytes.count {
            let taken = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw problem(path, errno) }
            if taken == 0 { return Array(bytes[..<count]) }
            count += taken
        }
        throw APNSSetupError(.credentials, "\(path) is larger than \(largestSize) bytes")
    }

    private static func problem(_ path: String, _ code: Int32) -> APNSSetupError {
        let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return APNSSetupError(.credentials, "\(path) cannot be read: \(text)")
    }
}
