import Testing

@testable import WaybillAPNS

@Suite("The account of notifications and outcomes")
struct OutcomeBookTests {
    private static let owner = NumberedOwner(0)

    private func outcome(_ number: Int) -> APNSOutcome {
        APNSOutcome(owner: Self.owner, index: number, result: .accepted, latency: 0, attempts: 1)
    }

    private func refusal(_ index: Int) -> APNSBatch.Outcome {
        APNSBatch.Outcome(index: index, apnsID: Fixture.id(index), result: .failure(.invalid("topic", "is missing")))
    }

    private func entry(_ index: Int) -> OutcomeBook.Entry {
        OutcomeBook.Entry(index: index, apnsID: Fixture.id(index))
    }

    /// The indices that a reader takes; `nil` at the end, empty when it has to wait.
    private func read(_ book: inout OutcomeBook) -> [Int]? {
        switch book.take() {
        case .outcomes(_, let entries, let ready): ready.map(\.index) + entries.compactMap { $0?.index }
        case .nothingYet: []
        case .end: nil
        }
    }

    @Test("A batch is at its end when the last outcome was read")
    func batch() {
        var book = OutcomeBook(capacity: .max)
        book.enter(apnsIDs: (0..<4).map(Fixture.id), refused: [refusal(1)])
        #expect(book.isReadable)
        let first = read(&book)
        #expect(first == [1])
        let nothing = read(&book)
        #expect(nothing == [])
        book.add([outcome(3), outcome(0)])
        book.add([outcome(2)])
        #expect(book.hasUnread)
        let rest = read(&book)
        #expect(rest == [3, 0, 2])
        #expect(!book.hasUnread)
        let end = read(&book)
        #expect(end == nil)
    }

    @Test("An empty batch is at its end at once")
    func empty() {
        var book = OutcomeBook(capacity: .max)
        book.enter(apnsIDs: [], refused: [])
        #expect(!book.hasUnread)
        let end = read(&book)
        #expect(end == nil)
    }

    @Test("What a reader puts back is read again, first, and counts as unread")
    func putBack() {
        var book = OutcomeBook(capacity: .max)
        book.enter(apnsIDs: (0..<2).map(Fixture.id), refused: [])
        book.add([outcome(0)])
        _ = read(&book)
        book.add([outcome(1)])
        book.putBack([refusal(0)])
        #expect(book.hasUnread)
        let again = read(&book)
        #expect(again == [0, 1])
        #expect(!book.hasUnread)
    }

    @Test("Room ends at the capacity, and comes back by quarters")
    func room() {
        var book = OutcomeBook(capacity: 8)
        var numbers: [Int] = []
        for index in 0..<8 {
            let hasRoom = book.takeRoom()
            #expect(hasRoom)
            numbers.append(book.enter(entry(index)))
        }
        #expect(Set(numbers).count == 8)
        let isFull = !book.takeRoom()
        #expect(isFull)
        #expect(!book.hasWantedRoom)
        book.add([outcome(numbers[5])])
        #expect(!book.hasWantedRoom, "an outcome that nobody has read takes room")
        let one = read(&book)
        #expect(one == [5])
        #expect(!book.hasWantedRoom, "one of eight is less than a quarter")
        book.add([outcome(numbers[6])])
        _ = read(&book)
        #expect(book.hasWantedRoom)
        let hasRoom = book.takeRoom()
        #expect(hasRoom)
        // A number that has its outcome is used again, for another notification.
        let number = book.enter(entry(8))
        #expect([numbers[5], numbers[6]].contains(number))
        book.add([outcome(number)])
        let eighth = read(&book)
        #expect(eighth == [8])
    }

    @Test("A refused notification takes room until its outcome is read")
    func refused() {
        var book = OutcomeBook(capacity: 1)
        let hasRoom = book.takeRoom()
        #expect(hasRoom)
        book.refuse(book.enter(entry(0)), .invalid("topic", "is missing"))
        let isFull = !book.takeRoom()
        #expect(isFull)
        let indices = read(&book)
        #expect(indices == [0])
        #expect(book.hasWantedRoom)
    }

    @Test("A sequence is at its end when it is finished and the last outcome was read, in either order")
    func sequence() {
        var book = OutcomeBook(capacity: 10)
        let number = book.enter(entry(0))
        #expect(book.hasUnread)
        book.finish()
        #expect(!book.isReadable)
        book.add([outcome(number)])
        let indices = read(&book)
        #expect(indices == [0])
        let end = read(&book)
        #expect(end == nil)

        var other = OutcomeBook(capacity: 10)
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
        var book = OutcomeBook(capacity: .max)
        do {
            let mine = NumberedOwner(1)
            owner = mine
            book.enter(apnsIDs: (0..<2).map(Fixture.id), refused: [])
            book.add([APNSOutcome(owner: mine, index: 0, result: .accepted, latency: 0, attempts: 1)])
            book.discard()
            book.add([APNSOutcome(owner: mine, index: 1, result: .accepted, latency: 0, attempts: 1)])
        }
        #expect(owner == nil)
        let nothing = read(&book)
        #expect(nothing == [])
    }
}
