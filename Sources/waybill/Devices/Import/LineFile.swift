import Glibc
import WaybillEncoding

/// A text file read line after line, in memory that does not grow with it.
final class LineFile {
    struct Line {
        /// Counted from 1.
        let number: Int
        /// Without the line break; `nil` if it is longer than any line may be.
        let bytes: [UInt8]?
        /// Where the next one begins.
        let end: Int64
    }

    static let longestLine = 1 << 16

    private let path: String
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var rest: Range<Int> = 0..<0
    private var number: Int
    private var offset: Int64

    /// - Parameters:
    ///   - path: the file.
    ///   - offset: where the first line begins that is wanted.
    ///   - line: how many lines there are before it.
    /// - Throws: ``CommandFailure``.
    init(_ path: String, offset: Int64 = 0, line: Int = 0) throws {
        self.path = path
        self.offset = offset
        number = line
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        guard lseek(descriptor, off_t(offset), SEEK_SET) == offset else {
            let failure = Self.failure("seek in", path)
            close(descriptor)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// The next line; `nil` at the end.
    func next() throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var count: Int64 = 0
        while true {
            if rest.isEmpty {
                let filled = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                guard filled >= 0 else { throw Self.failure("read", path) }
                if filled == 0 {
                    guard count > 0 else { return nil }
                    break
                }
                rest = 0..<filled
            }
            let end = buffer[rest].firstIndex(of: UInt8(ascii: "\n"))
            let piece = rest.lowerBound..<(end ?? rest.upperBound)
            if line.count + piece.count > Self.longestLine {
                isTooLong = true
                line = []
            } else if !isTooLong {
                line += buffer[piece]
            }
            count += Int64(piece.count)
            rest = (end.map { $0 + 1 } ?? rest.upperBound)..<rest.upperBound
            guard end != nil else { continue }
            count += 1
            break
        }
        if offset == 0 { line = ByteOrderMark.removed(from: line) }
        number += 1
        offset += count
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return Line(number: number, bytes: isTooLong ? nil : line, end: offset)
    }

    private static func failure(_ verb: String, _ path: String) -> CommandFailure {
        CommandFailure(.noInput, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
