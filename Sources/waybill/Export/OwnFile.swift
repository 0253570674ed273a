import Foundation
import WaybillEncoding

/// The files of an export: regular ones of this user's own, which nobody else may read.
///
/// Whoever may write into the folder could put a link there, by which another file would be written over or read.
enum OwnFile {
    /// Opens a file without following a link.
    ///
    /// - Returns: the descriptor, which the caller closes; `nil` where there is no file.
    /// - Throws: ``CommandFailure`` for anything that is no regular file of this user's own.
    static func descriptor(_ path: String, _ flags: Int32) throws -> Int32? {
        // Not blocking: a pipe would be waited for.
        let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw refusal(path, "is a symbolic link")
            case EISDIR: throw refusal(path, "is no regular file")
            default: throw failure("open", path)
            }
        }
        do {
            try requireOwn(descriptor, path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func requireOwn(_ descriptor: Int32, _ path: String) throws {
        guard let facts = OpenFile.facts(descriptor) else { throw failure("open", path) }
        guard facts.isRegular else { throw refusal(path, "is no regular file") }
        guard facts.owner == geteuid() else { throw refusal(path, "belongs to another user") }
    }

    /// - Throws: ``CommandFailure`` where something is there that is no regular file of this user's own.
    static func requireReplaceable(_ path: String) throws {
        if let descriptor = try descriptor(path, O_RDONLY) { close(descriptor) }
    }

    /// What a small file holds; `nil` where there is none.
    static func contents(_ path: String) throws -> [UInt8]? {
        guard let descriptor = try descriptor(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        do {
            return try SmallFile.readAll(descriptor, path: path, limit: 1 << 20)
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
    }

    /// Writes a file as a whole, so that there is always a whole one.
    static func replace(_ path: String, with bytes: some Collection<UInt8>) throws {
        try requireReplaceable(path)
        let new = path + ".new"
        // Of a run that was killed.
        unlink(new)
        guard let descriptor = try descriptor(new, O_WRONLY | O_CREAT | O_EXCL) else { throw failure("write", new) }
        do {
            defer { close(descriptor) }
            try write(Array(bytes), to: descriptor, path)
            guard fdatasync(descriptor) == 0 else { throw failure("write", path) }
        } catch {
            unlink(new)
            throw error
        }
        guard rename(new, path) == 0 else { throw failure("write", path) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    static func refusal(_ path: String, _ what: String) -> CommandFailure {
        CommandFailure(.badInput, "\(path) \(what); remove it, or choose another name")
    }

    private static func failure(_ verb: String, _ path: String) -> CommandFailure {
        CommandFailure(.unavailable, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
