import Glibc

/// Tells the service manager how things stand (sd_notify(3)): one datagram to the socket that `NOTIFY_SOCKET` names.
///
/// Without that variable it does nothing. What cannot be delivered is dropped: the service manager is not there any more.
package struct SystemdNotifier: Sendable {
    private let path: String?
    /// How often ``watchdog()`` is to be called at the least; `nil` when nobody watches this process.
    package let watchdogInterval: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = path != nil && isMeant && microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }

    /// The service does its work, or waits for what it needs and says so in its status.
    package func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// What the service does, for `systemctl status`.
    package func status(_ text: String) { send("STATUS=\(Self.line(text))") }

    /// The service reads its configuration again; ``ready(status:)`` says when it has.
    ///
    /// The time tells the service manager that this is the answer to the signal that it has just sent.
    package func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    /// The service ends.
    package func stopping() { send("STOPPING=1") }

    /// The service goes on: to be sent only if it does.
    package func watchdog() { send("WATCHDOG=1") }

    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private func send(_ message: String) {
        guard let path else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // A leading @ stands for the zero byte of an abstract name.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var text = message
        text.withUTF8 { bytes in
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), address, length)
                }
            }
        }
    }
}
