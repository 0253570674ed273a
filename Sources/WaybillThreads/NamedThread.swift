import CWaybillLinux
import Glibc

/// A thread with a name that `ps -L`, `top -H` and a debugger show.
package final class NamedThread: Sendable {
    /// Bytes of stack of every thread.
    ///
    /// Left to itself the C library takes `ulimit -s`, and with it an operator's shell would decide what input we survive:
    /// rabbitmq-c reads nested header tables by recursion, and the deepest that a frame of 128 KiB can hold, 26,000
    /// levels, needs more than 2 MiB.
    static let stackSize = 8 << 20

    private let identifier: Guarded<pthread_t?>

    private init(_ identifier: pthread_t) {
        self.identifier = Guarded(identifier)
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes; the rest is cut off (`pthread_setname_np(3)`).
    ///   - body: what it runs; the thread ends with it.
    /// - Returns: the running thread.
    /// - Throws: `ThreadError` when the system has no thread to give.
    package static func start(
        name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadError) -> NamedThread {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        let refused = pthread_attr_setstacksize(&attributes, stackSize)
        guard refused == 0 else { throw ThreadError(operation: "pthread_attr_setstacksize", code: refused) }
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var identifier = pthread_t()
        let code = pthread_create(
            &identifier,
            &attributes,
            { argument in
                // The argument is the box retained above, never null.
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                _ = start.name.withCString { wb_thread_set_name(pthread_self(), $0) }
                start.body()
                return nil
            },
            start.toOpaque()
        )
        guard code == 0 else {
            start.release()
            throw ThreadError(operation: "pthread_create", code: code)
        }
        return NamedThread(identifier)
    }

    /// Waits until the thread has ended; a second call returns at once.
    ///
    /// - Precondition: not called by the thread itself.
    package func join() {
        if let running = identifier.withLock({ $0.take() }) { pthread_join(running, nil) }
    }

    /// Waits until the thread has ended, or until the patience is over.
    ///
    /// - Parameter patience: how long; the thread goes on if it is not enough.
    /// - Returns: whether it has ended.
    /// - Precondition: not called by the thread itself, and by one thread at a time.
    package func join(within patience: Duration) -> Bool {
        guard let running = identifier.withLock({ $0 }) else { return true }
        let end = MonotonicTime.now().advanced(by: patience).nanoseconds
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        guard wb_thread_join_until(running, &time) == 0 else { return false }
        identifier.withLock { $0 = nil }
        return true
    }

    deinit {
        // Nobody will wait: the system frees the thread when it ends.
        if let running = identifier.withLock({ $0.take() }) { pthread_detach(running) }
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            self.body = body
        }
    }
}
