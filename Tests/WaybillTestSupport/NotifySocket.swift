import Glibc

/// A socket in the place of the service manager's (sd_notify(3)).
package final class NotifySocket {
    /// The system refused a socket.
    package struct NoSocket: Error {}

    /// For `NOTIFY_SOCKET`.
    package let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32

    package init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw NoSocket() }
    }

    deinit { close(descriptor) }

    /// What has come; datagrams on this machine are there when they are sent.
    package func received() -> [String] {
        var texts: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            texts.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return texts
    }
}
