import Glibc

/// Reads files with secrets in them, and refuses those that other users can read.
package enum OwnerOnlyFile {
    /// Why a file was refused.
    package struct Problem: Error, Hashable, Sendable {
        package let category: Finding.Category
        /// Names the file, and the command that helps.
        package let reason: String
    }

    /// The content of a regular file that nobody but its owner (and root) can read.
    ///
    /// The open file itself is examined, so that it cannot be exchanged between the check and the reading.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes it may hold.
    /// - Returns: the bytes, or why not.
    package static func read(_ path: String, limit: Int) -> Result<[UInt8], Problem> {
        do throws(Problem) {
            return .success(
                try FileContent.read(path, limit: limit) { (status) throws(Problem) in
                    guard status.st_mode & 0o077 == 0 else {
                        let mode = String(status.st_mode & 0o777, radix: 8)
                        throw Problem(
                            category: .permission,
                            reason: "\(path) can be used by others (mode \(mode)); run: chmod 600 \(path)"
                        )
                    }
                }
            )
        } catch {
            return .failure(error)
        }
    }
}

/// Reads small files as a whole.
package enum FileContent {
    /// The content of a regular file.
    package static func read(_ path: String, limit: Int) -> Result<[UInt8], OwnerOnlyFile.Problem> {
        do throws(OwnerOnlyFile.Problem) {
            return .success(try read(path, limit: limit) { _ in })
        } catch {
            return .failure(error)
        }
    }

    /// The content of a regular file, and whether its group or everybody may read it.
    static func readWithAccess(_ path: String, limit: Int) -> Result<([UInt8], isOpen: Bool), OwnerOnlyFile.Problem> {
        do throws(OwnerOnlyFile.Problem) {
            var isOpen = false
            let bytes = try read(path, limit: limit) { isOpen = $0.st_mode & 0o044 != 0 }
            return .success((bytes, isOpen))
        } catch {
            return .failure(error)
        }
    }

    fileprivate static func read(
        _ path: String,
        limit: Int,
        check: (stat) throws(OwnerOnlyFile.Problem) -> Void
    ) throws(OwnerOnlyFile.Problem) -> [UInt8] {
        // Not blocking, so that a named pipe is refused below instead of waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw problem(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw problem(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OwnerOnlyFile.Problem(category: .configuration, reason: "\(path) is not a regular file")
        }
        try check(status)
        guard status.st_size <= limit else {
            throw OwnerOnlyFile.Problem(category: .configuration, reason: "\(path) is larger than \(limit) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, limit - count) }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw problem(path, errno) }
            guard got > 0 else { break }
            count += got
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    private static func problem(_ path: String, _ code: Int32) -> OwnerOnlyFile.Problem {
        switch code {
        case ENOENT, ENOTDIR:
            .init(category: .configuration, reason: "\(path) does not exist")
        case EACCES, EPERM:
            .init(category: .permission, reason: "\(path) cannot be read by this user")
        default:
            .init(category: .configuration, reason: "\(path) cannot be read: \(String(cString: strerror(code)))")
        }
    }
}
