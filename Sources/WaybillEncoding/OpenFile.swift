import Glibc

/// What a file is called that is open.
package enum OpenFile {
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
