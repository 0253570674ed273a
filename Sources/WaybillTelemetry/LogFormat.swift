package import Logging

/// How log lines look on standard error.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Text for a person when standard error is a terminal, JSON lines otherwise.
    case automatic = "auto"
    /// One JSON object a line.
    case json
    /// One line of text for a person.
    case text

    /// Makes a logger that writes to standard error in this format, and bounds how many lines of a kind it writes.
    ///
    /// - Parameters:
    ///   - label: names the program's part; it appears in JSON lines as `logger`.
    ///   - level: the least level that is written.
    /// - Returns: a logger with a handler of its own.
    package func makeLogger(label: String, level: Logger.Level = .info) -> Logger {
        let destination = LineDestination.standardError
        return Logger(label: label) { label in
            if self == .text || self == .automatic && destination.isTerminal {
                LimitedLogHandler(
                    TextLogHandler(level: level, usesColour: destination.takesColour, destination: destination)
                )
            } else {
                LimitedLogHandler(JSONLogHandler(label: label, level: level, destination: destination))
            }
        }
    }
}
