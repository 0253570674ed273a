import CWaybillLinux
import Glibc

/// A descriptor that becomes readable when someone signals (`eventfd(2)`), to wake a thread that polls.
package final class EventDescriptor: Sendable {
    /// Readable while a signal is pending; owned by this object.
    package let descriptor: Int32

    package init() throws(ThreadError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw ThreadError(operation: "eventfd", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Makes the descriptor readable; from any thread.
    package func signal() {
        var one: UInt64 = 1
        // Fails only when the counter is full, and then the descriptor is readable already.
        _ = write(descriptor, &one, 8)
    }

    /// Makes it unreadable again.
    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
