import Foundation
import Testing
import WaybillTestSupport

@testable import waybill

/// A line that is on no command line.
struct SingleLineTests {
    /// As a shell's `<(…)` is one.
    @Test func aPipeIsReadToItsEnd() throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        try pipe.fileHandleForWriting.write(contentsOf: Data("\n  abc:def \n\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try SingleLine.ofFile(path) == "  abc:def ")
    }

    @Test func aFileHasOneLine() throws {
        let folder = try TemporaryFolder()
        #expect(try SingleLine.ofFile(try folder.write("one", "abc\n")) == "abc")
        #expect(try SingleLine.ofFile(try folder.write("none", " \n")) == "")
        #expect(throws: (any Error).self) { try SingleLine.ofFile(try folder.write("two", "a\nb\n")) }
        #expect {
            try SingleLine.ofFile("\(folder.path)/missing")
        } throws: {
            ($0 as? CommandFailure)?.text == "the file \(folder.path)/missing does not exist"
        }
    }
}
