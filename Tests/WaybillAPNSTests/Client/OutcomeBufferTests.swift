import Testing

@testable import WaybillAPNS

@Suite("The account of notifications and outcomes")
struct OutcomeBufferTests {
    private static let owner = NumberedOwner(0)

    private func outcome(_ number: Int) -> APNSOutcome {
        APNSOutcome(owner: Self.owner, index: number, result: .accepted, latency: 0, attempts: 1)
    }

    private func refusal(_ index: Int) -> APNSBatch.Outcome {
        APNSBatch.Outcome(index: index, apnsID: Fixture.id(index), result: .failure(.invalid("topic", "is missing")))
    }

    private func entry(_ index: Int) -> OutcomeBuffer.Entry {
        OutcomeBuffer.Entry(index: index, apnsID: Fixture.id(index))
    }

    /// The indices that a reader takes; `nil` at the end, empty when it has to wait.
    private func read(_ buffer: inout OutcomeBuffer) -> [Int]? {
        switch buffer.take() {
        case .outcomes(_, let entries, let ready): ready.map(\.index) + entries.compactMap { $0?.index }
        case .nothingYet: []
        case .end: nil
        }
    }

    @Test("A batch is at its end when the last outcome was read")
    func batch() {
        var buffer = OutcomeBuffer(capacity: .max)
        buffer.enter(apnsIDs: (0..<4).map(Fixture.id), refused: [refusal(1)])
        #expect(buffer.isReadable)
        let first = read(&buffer)
        #expect(first == [1])
        let nothing = read(&buffer)
        #expect(nothing == [])
        buffer.add([outcome(3), outcome(0)])
        buffer.add([outcome(2)])
        #expect(buffer.hasUnread)
        let rest = read(&buffer)
        #expect(rest == [3, 0, 2])
        #expect(!buffer.hasUnread)
        let end = read(&buffer)
        #expect(end == nil)
    }

    @Test("An empty batch is at its end at once")
    func empty() {
        var buffer = OutcomeBuffer(capacity: .max)
        buffer.enter(apnsIDs: [], refused: [])
        #expect(!buffer.hasUnread)
        let end = read(&buffer)
        #expect(end == nil)
    }

    @Test("What a reader puts back is read again, first, and counts as unread")
    func putBack() {
        var buffer = OutcomeBuffer(capacity: .max)
        buffer.enter(apnsIDs: (0..<2).map(Fixture.id), refused: [])
        buffer.add([outcome(0)])
        _ = read(&buffer)
        buffer.add([outcome(1)])
        buffer.putBack([refusal(0)])
        #expect(buffer.hasUnread)
        let again = read(&buffer)
        #expect(again == [0, 1])
        #expect(!buffer.hasUnread)
    }

    @Test("Room ends at the capacity, and comes back by quarters")
    func room() {
        var buffer = OutcomeBuffer(capacity: 8)
        var numbers: [Int] = []
        for index in 0..<8 {
            let hasRoom = buffer.takeRoom()
            #expect(hasRoom)
            numbers.append(buffer.enter(entry(index)))
        }
        #expect(Set(numbers).count == 8)
        let isFull = !buffer.takeRoom()
        #expect(isFull)
        #expect(!buffer.hasWantedRoom)
        buffer.add([outcome(numbers[5])])
        #expect(!buffer.hasWantedRoom, "an outcome that nobody has read takes room")
        let one = read(&buffer)
        #expect(one == [5])
        #expect(!buffer.hasWantedRoom, "one of eight is less than a quarter")
        buffer.add([outcome(numbers[6])])
        _ = read(&buffer)
        #expect(buffer.hasWantedRoom)
        let hasRoom = buffer.takeRoom()
        #expect(hasRoom)
        // A number that has its outcome is used again, for another notification.
        let number = buffer.enter(entry(8))
        #expect([numbers[5], numbers[6]].contains(number))
        buffer.add([outcome(number)])
        let eighth = read(&buffer)
        #expect(eighth == [8])
    }

    @Test("A refused notification takes room until its outcome is read")
    func refused() {
        var buffer = OutcomeBuffer(capacity: 1)
        let hasRoom = buffer.takeRoom()
        #expect(hasRoom)
        buffer.refuse(buffer.enter(entry(0)), .invalid("topic", "is missing"))
        let isFull = !buffer.takeRoom()
        #expect(isFull)
        let indices = read(&buffer)
        #expect(indices == [0])
        #expect(buffer.hasWantedRoom)
    }

    @Test("A sequence is at its end when it is finished and the last outcome was read, in either order")
    func sequence() {
        var buffer = OutcomeBuffer(capacity: 10)
        let number = buffer.enter(entry(0))
        #expect(buffer.hasUnread)
        buffer.finish()
        #expect(!buffer.isReadable)
        buffer.add([outcome(number)])
        let indices = read(&buffer)
        #expect(indices == [0])
        let end = read(&buffer)
        #expect(end == nil)

        var other = OutcomeBuffer(capacity: 10)
        let nothing = read(&other)
        #expect(nothing == [])
        #expect(other.hasUnread)
        other.finish()
        #expect(other.isReadable)
        let otherEnd = read(&other)
        #expect(otherEnd == nil)
    }

    @Test("What nobody can read any more is let go, and the owners of the outcomes with it")
    func discarded() {
        weak var owner: NumberedOwner?
        var buffer = OutcomeBuffer(capacity: .max)
        do {
            let mine = NumberedOwner(1)
            owner = mine
            buffer.enter(apnsIDs: (0..<2).map(Fixture.id), refused: [])
            buffer.add([APNSOutcome(owner: mine, index: 0, result: .accepted, latency: 0, attempts: 1)])
            buffer.discard()
            buffer.add([APNSOutcome(owner: mine, index: 1, result: .accepted, latency: 0, attempts: 1)])
        }
        #expect(owner == nil)
        let nothing = read(&buffer)
        #expect(nothing == [])
    }
}
