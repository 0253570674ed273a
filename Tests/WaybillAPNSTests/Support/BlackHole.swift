import Glibc
import Testing

/// An address and port where connections neither succeed nor fail: the queue of those that nobody accepts is full.
final class BlackHole {
    private var descriptors: [Int32] = []

    init(address: String, port: UInt16) throws {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        try #require(inet_pton(AF_INET, address, &name.sin_addr) == 1)
        let listener = try socket(blocks: true)
        try #require(withAddress(&name) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 0) == 0)
        // More than any system queues for a backlog of 0.
        for _ in 0..<8 {
            let filler = try socket(blocks: false)
            _ = withAddress(&name) { connect(filler, $0, $1) }
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private func socket(blocks: Bool) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | (blocks ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        let descriptor = Glibc.socket(AF_INET, type, 0)
        try #require(descriptor >= 0)
        descriptors.append(descriptor)
        return descriptor
    }

    private func withAddress(
        _ name: inout sockaddr_in,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
