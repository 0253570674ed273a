import Glibc
import WaybillEncoding

/// Reads the input as a whole: everything is examined before anything is published.
enum InputFile {
    /// The bytes of a file, or of standard input when the name is `-`.
    static func read(_ name: String) throws(CommandFailure) -> [UInt8] {
        do throws(SmallFile.Problem) {
            return name == "-"
                ? try SmallFile.readAll(STDIN_FILENO, path: "standard input", limit: .max)
                : try SmallFile.read(name, limit: .max).bytes
        } catch {
            throw CommandFailure(.noInput, error.description)
        }
    }
}
