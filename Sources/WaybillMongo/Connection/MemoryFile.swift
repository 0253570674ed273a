internal import CWaybillMongoC
internal import Glibc

/// Bytes under a path that only this process can open, and that no disk holds.
///
/// libmongoc reads a client certificate and its key from one file, each time it connects.
final class MemoryFile: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` when the system has no memory or descriptor left.
    init?(_ bytes: [UInt8]) {
        descriptor = waybill_memory_file("waybill-identity")
        guard descriptor >= 0 else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                close(descriptor)
                return nil
            }
            rest = rest.dropFirst(count)
        }
    }

    deinit { close(descriptor) }

    /// Valid as long as the object lives.
    var path: String { "/proc/self/fd/\(descriptor)" }
}
