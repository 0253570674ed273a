import CWaybillLinux
import Glibc

/// Waits for many descriptors at once (`epoll(7)`, level-triggered).
///
/// One thread makes it, uses it and lets it go. Descriptors stay the caller's: unregister one before closing it.
package final class Reactor {
    /// What to wait for on a descriptor.
    package struct Interest: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let readable = Self(rawValue: EPOLLIN.rawValue)
        package static let writable = Self(rawValue: EPOLLOUT.rawValue)
    }

    /// Something that happened to a descriptor.
    package struct Event: Hashable, Sendable {
        /// The number that the descriptor was registered with.
        package let token: UInt64
        fileprivate let bits: UInt32

        package var isReadable: Bool { bits & EPOLLIN.rawValue != 0 }
        package var isWritable: Bool { bits & EPOLLOUT.rawValue != 0 }
    }

    private let descriptor: Int32
    private var buffer = [epoll_event](repeating: epoll_event(), count: 256)

    package init() throws(ThreadError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw ThreadError(operation: "epoll_create1", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Begins to wait for a descriptor.
    ///
    /// - Parameters:
    ///   - fd: a descriptor that is not registered yet.
    ///   - token: comes back in its events. Use a new one for each descriptor: numbers of closed descriptors are given
    ///     out again, and an event that was already fetched may be stale.
    ///   - interest: what to wait for; a hang-up is reported whatever it says.
    /// - Throws: `ThreadError` when the system refuses.
    package func register(_ fd: Int32, token: UInt64, interest: Interest) throws(ThreadError) {
        try control(EPOLL_CTL_ADD, fd, token, interest)
    }

    /// Changes what is waited for.
    package func modify(_ fd: Int32, token: UInt64, interest: Interest) throws(ThreadError) {
        try control(EPOLL_CTL_MOD, fd, token, interest)
    }

    /// Stops waiting for a descriptor; harmless for one that is not registered.
    package func unregister(_ fd: Int32) {
        epoll_ctl(descriptor, EPOLL_CTL_DEL, fd, nil)
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - deadline: when to return without any; `nil` waits forever.
    ///   - events: replaced by what has happened; empty after a signal, too.
    /// - Throws: `ThreadError` when the system refuses.
    package func wait(until deadline: MonotonicTime?, into events: inout [Event]) throws(ThreadError) {
        events.removeAll(keepingCapacity: true)
        let timeout = deadline.map { PollTimeout.milliseconds(from: .now(), until: $0) } ?? -1
        let count = epoll_wait(descriptor, &buffer, Int32(buffer.count), timeout)
        guard count >= 0 else {
            if errno == EINTR { return }
            throw ThreadError(operation: "epoll_wait", code: errno)
        }
        for event in buffer.prefix(Int(count)) { events.append(Event(token: event.data.u64, bits: event.events)) }
    }

    private func control(
        _ operation: Int32,
        _ fd: Int32,
        _ token: UInt64,
        _ interest: Interest
    ) throws(ThreadError) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = token
        guard epoll_ctl(descriptor, operation, fd, &event) == 0 else {
            throw ThreadError(operation: "epoll_ctl", code: errno)
        }
    }
}
