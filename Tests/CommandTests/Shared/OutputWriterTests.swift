import Glibc
import Testing
import WaybillTestSupport

@testable import waybill

struct OutputWriterTests {
    private func withPipe(_ test: (_ reading: Int32, _ writing: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        try test(ends[0], ends[1])
        close(ends[0])
    }

    private func read(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func whatWasTakenArrivesWhenItIsHandedOn() throws {
        try withPipe { reading, writing in
            let writer = OutputWriter(descriptor: writing, isByLine: false)
            writer.write("a\n")
            writer.write("b\n")
            try writer.flush()
            #expect(read(reading) == "a\nb\n")
            writer.write("c\n")
            #expect(writer.close() == nil)
            #expect(read(reading) == "c\n")
        }
    }

    /// What follows a gap would pass for what belongs there, and nobody is told twice.
    @Test(arguments: [true, false]) func aFullDiskIsRememberedUntilTheEnd(isByLine: Bool) throws {
        let full = OutputFailure(code: ENOSPC)
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        let writer = OutputWriter(descriptor: descriptor, isByLine: isByLine)
        writer.write("a\n")
        #expect(throws: full) { try writer.flush() }
        writer.write("b\n")
        #expect(writer.close() == full)
        #expect("\(full)" == "cannot write standard output: No space left on device")
        #expect(!full.isClosedPipe)
    }

    @Test func aCallerThatSaysItIsTheOnlyOne() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        let writer = OutputWriter(descriptor: descriptor, isByLine: false)
        writer.write("a\n")
        #expect(throws: OutputFailure(code: ENOSPC)) { try writer.flushForCaller() }
        #expect(writer.close() == nil)
    }

    @Test func aReaderThatHasGoneAwayIsKnownForOne() throws {
        signal(SIGPIPE, SIG_IGN)
        try withPipe { reading, writing in
            close(reading)
            let writer = OutputWriter(descriptor: writing, isByLine: false)
            writer.write("a\n")
            #expect(writer.close()?.isClosedPipe == true)
        }
    }

    @Test func aDescriptorThatIsClosedMissesNothingWhereNothingWasWritten() {
        #expect(OutputWriter(descriptor: -1, isByLine: false).close() == nil)
    }
}
