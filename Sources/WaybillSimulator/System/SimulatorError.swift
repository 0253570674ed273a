import Glibc

/// Why the simulator cannot start, or cannot go on.
package struct SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, and what the system said.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// A failed system call, described from `errno`.
    static func system(_ operation: String, code: Int32 = errno) -> SimulatorError {
        SimulatorError("\(operation): \(String(cString: strerror(code)))")
    }
}
