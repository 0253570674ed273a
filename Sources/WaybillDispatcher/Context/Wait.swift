import Glibc

/// Blocks a thread on its connection and its mailbox at once.
enum Wait {
    /// The longest pause before the next attempt at a connection to the broker: who has repaired it is not to wait for long.
    static let longestPause = Duration.seconds(5)

    /// Returns when one of the descriptors can be read, is closed by its peer, or the patience is over.
    static func untilReadable(_ descriptors: [Int32?], patience: Duration) {
        var polled = descriptors.compactMap { $0.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } }
        let milliseconds = patience.components.seconds * 1000 + patience.components.attoseconds / 1_000_000_000_000_000
        // Rounded up: a wait of less than a millisecond must not become a busy loop.
        poll(&polled, nfds_t(polled.count), patience == .zero ? 0 : Int32(clamping: milliseconds + 1))
    }
}
