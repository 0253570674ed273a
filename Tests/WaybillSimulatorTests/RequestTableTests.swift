import Testing

@testable import WaybillSimulator

@Suite("The requests of one connection of the simulator")
struct RequestTableTests {
    private static func table(begun: [Int32], decided: [Int32] = []) -> RequestTable {
        var table = RequestTable()
        for stream in begun { _ = table.begin(stream: stream) }
        for stream in decided { table[stream].map { table.decide($0) } }
        return table
    }

    @Test("A second header block on a stream is no request")
    func trailers() {
        var table = Self.table(begun: [1])
        let trailers = table.begin(stream: 1)
        #expect(trailers == nil)
        #expect(table.incompleteCount == 1)
    }

    @Test("A closed stream's object serves a later stream, as if it were new")
    func reuse() throws {
        var table = Self.table(begun: [1, 3])
        let first = try #require(table[1])
        table.decide(first)
        let (closed, closedAgain) = (table.close(stream: 1), table.close(stream: 1))
        #expect(closed === first)
        #expect(closedAgain == nil)
        let began = table.begin(stream: 5)
        let later = try #require(began)
        #expect(later === first)
        #expect(!later.isComplete)
        #expect(later.stream == 5)
        #expect(table.peak == 2)
        #expect(table.lastStream == 5)
    }

    @Test(
        "The last stream that a GOAWAY names",
        arguments: [
            (.all, nil, 9), (.graceful, 5, 9), (.this, nil, 3), (.this, 5, 5), (.this, 1, 3),
            // A stream below one that is decided cannot be given back.
            (.none, nil, 3), (.none, 5, 3), (.none, 1, 3),
        ] as [(SimulatorGoAway.LastStream, Int32?, Int32)]
    )
    func lastStream(form: SimulatorGoAway.LastStream, stream: Int32?, expected: Int32) {
        let table = Self.table(begun: [1, 3, 5, 7, 9], decided: [1, 3])
        #expect(table.lastStream(form, on: stream) == expected)
    }

    @Test("A later GOAWAY takes nothing back of what an earlier one said")
    func served() throws {
        var table = Self.table(begun: [1, 3, 5])
        let lasts = [table.serve(upTo: 3), table.serve(upTo: 5)]
        #expect(lasts == [3, 3])
        #expect(table.awaitsDecision(try #require(table[3])))
        #expect(!table.awaitsDecision(try #require(table[5])))
    }
}
