import Glibc

/// Reads files as a whole that are small by their nature: keys, certificates, configuration, rules.
package enum SmallFile {
    /// Why a file could not be read.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package enum Kind: Hashable, Sendable {
            case missing
            case forbidden
            case notRegular
            case tooLarge
            case unreadable
        }

        package let kind: Kind
        package let path: String
        /// What is wrong, to stand behind the file's name: "does not exist".
        package let text: String

        /// A sentence with the file's name in it.
        package var description: String { "\(path) \(text)" }

        fileprivate init(_ kind: Kind, _ path: String, _ text: String) {
            self.kind = kind
            self.path = path
            self.text = text
        }

        fileprivate init(_ path: String, code: Int32) {
            switch code {
            case ENOENT, ENOTDIR: self.init(.missing, path, "does not exist")
            case EACCES, EPERM: self.init(.forbidden, path, "cannot be read by this user")
            default:
                let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
                self.init(.unreadable, path, "cannot be read: \(reason)")
            }
        }
    }

    /// A file's bytes, and who may use it.
    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// The permission bits of the open file, so that it cannot have been exchanged since they were looked at.
        package let permissions: UInt32
    }

    /// The content of a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes it may hold.
    ///   - mustBeRegular: refuses pipes and devices, instead of reading them to their end.
    /// - Returns: the bytes, and the permissions of the file that they are from.
    /// - Throws: what kept the file from being read; nothing of its content.
    package static func read(_ path: String, limit: Int, mustBeRegular: Bool = false) throws(Problem) -> Content {
        // Not blocking: a pipe that stands in the file's place would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Problem(path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Problem(path, code: errno) }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || !mustBeRegular else { throw Problem(.notRegular, path, "is not a regular file") }
        // Somebody passes a pipe on purpose, as a shell's <(…): from here on it may be waited for.
        if type == S_IFIFO { _ = fcntl(descriptor, F_SETFL, 0) }
        return Content(
            bytes: try readAll(descriptor, path: path, limit: limit),
            permissions: UInt32(status.st_mode) & 0o7777
        )
    }

    /// Everything up to the end of an open file or stream.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's, who closes it.
    ///   - path: names it in an error.
    ///   - limit: the most bytes that are taken.
    /// - Returns: the bytes.
    /// - Throws: a failure of the system, or that there is more.
    package static func readAll(_ descriptor: Int32, path: String, limit: Int) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(limit, (64 << 10) - 1) + 1)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Problem(path, code: errno) }
            guard count > 0 else { return bytes }
            guard count <= limit - bytes.count else {
                throw Problem(.tooLarge, path, "is larger than \(limit) bytes")
            }
            bytes += piece[..<count]
        }
    }
}
