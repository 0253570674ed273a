import Glibc
import WaybillEncoding

/// Standard output, where what was asked for goes.
enum Output {
    /// Writes a JSON text as one line.
    ///
    /// What a terminal acts on, or nobody sees, is escaped wherever it goes (``JSONText/terminalSafe(_:)``): a program reads the
    /// same text, and a file of today is looked at in a terminal tomorrow.
    static func json(_ text: String) { print(JSONText.terminalSafe(text)) }

    /// Writes a JSON object as one line.
    static func json(_ object: JSONObject) { json(object.text) }

    /// Hands on what has been written: a pipe gets it in blocks otherwise.
    static func flush() { fflush(nil) }
}
