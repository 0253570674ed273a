import Glibc

/// Where whole lines go: a file descriptor, written by one system call a line so that threads do not mix.
package struct LineDestination: Sendable {
    private let write: @Sendable (String) -> Void
    /// Whether a person is likely to be reading.
    package let isTerminal: Bool
    /// Whether colour is welcome: a terminal that is not dumb, and no `NO_COLOR` (no-color.org).
    package let takesColour: Bool

    /// Standard error.
    package static let standardError = LineDestination(descriptor: STDERR_FILENO)

    /// Lines go to an open descriptor; it stays the caller's.
    package init(descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        let refusesColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        takesColour = isTerminal && !refusesColour && !isDumb
        write = { line in
            var text = line
            text.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while let base = rest.baseAddress, !rest.isEmpty {
                    let written = Glibc.write(descriptor, base, rest.count)
                    if written < 0 && errno == EINTR { continue }
                    // Nobody to tell: standard error itself does not take the line.
                    guard written > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                }
            }
        }
    }

    /// Lines go to a function.
    package init(write: @escaping @Sendable (String) -> Void) {
        isTerminal = false
        takesColour = false
        self.write = write
    }

    /// Writes a line; the newline is added here.
    package func writeLine(_ line: String) {
        write(line + "\n")
    }
}
