import ArgumentParser
import Foundation
import WaybillEncoding

/// One line of standard input or of a file, which nobody sees on a command line.
enum SingleLine {
    /// Far more than any line has that is asked for.
    private static let mostBytes = 1 << 20

    /// The line of standard input that is not empty; of a terminal, the first one, for there the end is a key of its own.
    ///
    /// - Throws: `ValidationError` for more than one, which it does not repeat.
    static func ofStandardInput() throws -> String {
        if isatty(STDIN_FILENO) == 1 { return readLine() ?? "" }
        return try only("standard input") { readLine() }
    }

    /// The line of a file that is not empty.
    ///
    /// - Throws: the same; ``CommandFailure`` for a file that cannot be read.
    static func ofFile(_ path: String) throws -> String {
        let bytes: [UInt8]
        do throws(SmallFile.Problem) {
            // A pipe, such as a shell's <(…), is read to its end.
            bytes = ByteOrderMark.removed(from: try SmallFile.read(path, limit: mostBytes).bytes)
        } catch {
            throw CommandFailure(.noInput, "the file \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "\(path) is not UTF-8 text")
        }
        var lines = text.split(whereSeparator: \.isNewline).makeIterator()
        return try only(path) { lines.next().map(String.init) }
    }

    /// What follows is asked for no further than its second line, however long it is.
    private static func only(_ place: String, _ next: () -> String?) throws -> String {
        var only: String?
        while let line = next() {
            guard line.contains(where: { !$0.isWhitespace }) else { continue }
            guard only == nil else { throw ValidationError("\(place) has more than one line; give one at a time") }
            only = line
        }
        return only ?? ""
    }
}
