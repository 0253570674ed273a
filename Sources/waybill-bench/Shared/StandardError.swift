import Glibc

/// Standard error: where the program talks to people.
enum StandardError {
    /// Writes one line.
    static func print(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
