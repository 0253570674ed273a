import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("The stream table")
struct StreamTableTests {
    private static var batch: PendingBatch {
        PendingBatch(Batches.batch(count: 1), received: MonotonicTime(nanoseconds: 0))
    }

    private static func insert(_ stream: Int32, into table: inout StreamTable, at nanoseconds: UInt64 = 0) {
        let job = RequestJob(batch: batch, position: 0)
        table.insert(job: job, stream: stream, at: MonotonicTime(nanoseconds: nanoseconds), tokenSerial: 1)
    }

    @Test("Keeps the order of age through removals in the middle")
    func order() throws {
        var table = StreamTable()
        for stream: Int32 in [1, 3, 5, 7] { Self.insert(stream, into: &table) }
        _ = table.remove(try #require(table.slot(of: 3)))
        _ = table.remove(try #require(table.slot(of: 7)))
        Self.insert(9, into: &table)
        var streams: [Int32] = []
        while let oldest = table.oldest { streams.append(table.remove(oldest).stream) }
        #expect(streams == [1, 5, 9])
        #expect(table.newest == nil)
    }

    @Test("Agrees with a dictionary over a long random life")
    func model() {
        var generator = SystemRandomNumberGenerator()
        var table = StreamTable()
        var model: [Int32] = []
        var next: Int32 = 1
        for _ in 0..<50_000 {
            // Grows to hundreds of streams and shrinks again; ids are never used twice, as in HTTP/2.
            let limit = Int.random(in: 1...600, using: &generator)
            if model.count < limit {
                Self.insert(next, into: &table)
                model.append(next)
                next += 2
            } else {
                let stream = model.remove(at: Int.random(in: 0..<model.count, using: &generator))
                guard let slot = table.slot(of: stream) else {
                    Issue.record("stream \(stream) is lost")
                    return
                }
                #expect(table.remove(slot).stream == stream)
                #expect(table.slot(of: stream) == nil)
            }
            #expect(table.count == model.count)
        }
        for stream in model { #expect(table.slot(of: stream) != nil) }
        #expect(table.oldest.map { table[$0].stream } == model.first)
    }

    @Test("One stream that stays open for long does not hide the others")
    func longLivedStream() throws {
        var table = StreamTable()
        Self.insert(1, into: &table)
        for stream in stride(from: Int32(3), to: 200_001, by: 2) {
            Self.insert(stream, into: &table)
            _ = table.remove(try #require(table.slot(of: stream)))
        }
        #expect(table.slot(of: 1) != nil)
        #expect(table.count == 1)
    }

    @Test("Ids that no request has are not found")
    func foreign() {
        var table = StreamTable()
        Self.insert(1, into: &table)
        for stream: Int32 in [0, -1, 2, 129, .max] { #expect(table.slot(of: stream) == nil) }
    }

    @Test("Responses that are complete before their request count until they are taken out")
    func endedEarly() throws {
        var table = StreamTable()
        for stream: Int32 in [1, 3] { Self.insert(stream, into: &table) }
        let slot = try #require(table.slot(of: 3))
        table.markEnded(slot)
        table.markEnded(slot)
        #expect(table.endedEarly == 1)
        #expect(table[slot].hasEnded)
        let other = try #require(table.slot(of: 1))
        _ = table.remove(other)
        #expect(table.endedEarly == 1)
        _ = table.remove(slot)
        #expect(table.endedEarly == 0)
    }
}
