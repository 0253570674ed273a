import Glibc
import WaybillEncoding

/// Standard output, where what was asked for goes: nothing else writes there.
///
/// A fault does not end a command, which may have more to do; it is said, once, when the process ends, and then the status tells of
/// it (``ProcessEnd``). What would go on for long, or says how to go on behind what was written, flushes first.
enum Output {
    private static let writer = OutputWriter(descriptor: STDOUT_FILENO, isByLine: isatty(STDOUT_FILENO) == 1)

    /// Writes a line.
    static func line(_ text: String, terminator: String = "\n") { writer.write(text + terminator) }

    /// Writes a text as it is.
    static func text(_ text: String) { writer.write(text) }

    /// Writes a JSON text as one line.
    ///
    /// What a terminal acts on, or nobody sees, is escaped wherever it goes (``JSONText/terminalSafe(_:)``): a program reads the
    /// same text, and a file of today is looked at in a terminal tomorrow.
    static func json(_ text: String) { line(JSONText.terminalSafe(text)) }

    /// Writes a JSON object as one line.
    static func json(_ object: JSONObject) { json(object.text) }

    /// Hands on what has been written: a pipe gets it in blocks otherwise.
    ///
    /// - Throws: why not all that was written so far has arrived.
    static func flush() throws(OutputFailure) { try writer.flush() }

    /// Writes what nobody can read again, at once.
    ///
    /// A reader that has gone away is no quiet end here: what was made for it is there, and nobody has it.
    ///
    /// - Throws: why it is lost; saying so is the caller's.
    static func once(_ write: () -> Void) throws(OutputFailure) {
        let former = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, former) }
        write()
        try writer.flushForCaller()
    }

    /// Hands on the rest and closes.
    ///
    /// - Returns: why not everything has arrived.
    static func close() -> OutputFailure? { writer.close() }
}
