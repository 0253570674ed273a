import CLinux
import Glibc

/// A thread with a name that `ps -L`, `top -H` and a debugger show.
package final class NamedThread: Sendable {
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
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var identifier = pthread_t()
        let code = pthread_create(
            &identifier,
            nil,
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
