import Foundation
import Testing
import WaybillTestSupport

@testable import waybill

@Suite("Files line after line")
struct LineFileTests {
    @Test(
        "every line, with its number and its end",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb", ["a", "b"]), ("\n\na\n", ["", "", "a"]),
        ] as [(String, [String])]
    )
    func lines(text: String, expected: [String]) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/lines"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let file = try LineFile(path)
        var found: [String] = []
        var end: Int64 = 0
        while let line = try file.next() {
            found.append(String(decoding: try #require(line.bytes), as: UTF8.self))
            #expect(line.number == found.count)
            // From the end of each, the rest is read.
            end = line.end
            let next = try LineFile(path, offset: line.end, line: line.number).next()
            #expect(next?.number == (next == nil ? nil : line.number + 1))
        }
        #expect(found == expected)
        #expect(end == Int64(text.utf8.count))
    }

    @Test("a line longer than any may be is passed over, across the buffer's ends")
    func longLines() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/lines"
        let long = String(repeating: "x", count: LineFile.longestLine)
        try Data("\(long)\n\(long)x\n\(String(repeating: "y", count: 1_000_000))\nend".utf8)
            .write(to: URL(fileURLWithPath: path))
        let file = try LineFile(path)
        #expect(try file.next()?.bytes?.count == LineFile.longestLine)
        for _ in 0..<2 {
            let line = try #require(try file.next())
            #expect(line.bytes == nil)
        }
        #expect(try file.next()?.bytes == Array("end".utf8))
        #expect(try file.next() == nil)
    }
}
