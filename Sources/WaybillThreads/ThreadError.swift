import Glibc

/// The operating system refused a thread, a descriptor or a call on one.
package struct ThreadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call that failed, for example `epoll_ctl`.
    package let operation: String
    /// The `errno` of the failure.
    package let code: Int32

    package init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    package var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
