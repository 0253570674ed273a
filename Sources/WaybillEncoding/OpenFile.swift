import Glibc

/// What is known of a file that is open.
package enum OpenFile {
    /// What a file is, whatever path led to it.
    package struct Facts: Hashable, Sendable {
        package let isRegular: Bool
        /// The id of the user whose file it is.
        package let owner: UInt32
        /// How many names it has.
        package let links: Int
    }

    /// - Parameter descriptor: an open one.
    /// - Returns: `nil` where the system cannot tell; `errno` says why.
    package static func facts(_ descriptor: Int32) -> Facts? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return Facts(
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            owner: status.st_uid,
            links: Int(status.st_nlink)
        )
    }

    /// Whether a path names an open file, and not another one, or a link, that has taken its place.
    ///
    /// - Parameters:
    ///   - path: of a file.
    ///   - descriptor: an open one.
    /// - Returns: whether both are one file.
    package static func isNamed(_ path: String, descriptor: Int32) -> Bool {
        var own = stat()
        var named = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }
}
