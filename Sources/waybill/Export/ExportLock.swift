import Foundation
import WaybillEncoding

/// The unfinished file of an export, `NAME.part`, held against every other export to the same name.
///
/// The lock belongs to the open file: it ends with this object, however the process ends.
final class ExportLock {
    let path: String
    let descriptor: Int32

    static func partPath(_ path: String) -> String { path + ".part" }

    /// Opens the file, or makes it, and holds it.
    ///
    /// - Parameter path: the name that the export gets at last.
    /// - Throws: ``CommandFailure``; with the status for later while another export holds it. What is there and is no regular
    ///   file of this user's own is refused.
    init(_ path: String) throws {
        self.path = path
        let part = Self.partPath(path)
        guard let descriptor = try OwnFile.descriptor(part, O_RDWR | O_CREAT) else {
            throw CommandFailure(.unavailable, "cannot write \(path): there is no such folder")
        }
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStillPart else {
            throw CommandFailure(.temporary, "another export to \(path) is under way")
        }
        try takePart(part)
    }

    /// Makes sure that the file has no other name, and that nobody else may read it, whoever made it.
    private func takePart(_ part: String) throws {
        guard OpenFile.facts(descriptor)?.links == 1 else {
            throw OwnFile.refusal(part, "has another name, too")
        }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw CommandFailure(.unavailable, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Whoever held the file until now may have given it its name.
    private var isStillPart: Bool { OpenFile.isNamed(Self.partPath(path), descriptor: descriptor) }
}
