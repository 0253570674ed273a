import Testing
import WaybillThreads

@testable import WaybillHTTPAPI

@Suite("Who is at a feed")
struct FeedMembersTests {
    @Test("each has a seat of their own, which is given up once")
    func seats() throws {
        var members = FeedMembers<String>()
        let seats = ["anna", "bert"].map { members.join($0) }
        let anna = try #require(seats[0])
        #expect(members.all.sorted() == ["anna", "bert"])
        let left = [members.leave(anna), members.leave(anna)]
        #expect(left == [true, false])
        #expect(members.all == ["bert"])
        let anew = members.join("anna")
        #expect(anew != nil && !seats.contains(anew))
        #expect(members.dropped == 0)
    }

    @Test("who is slow is sent away, named and counted, and has no seat to give up")
    func slow() throws {
        var members = FeedMembers<String>()
        let seats = ["anna", "bert"].map { members.join($0) }
        let slow = members.drop { $0 == "anna" }
        #expect(slow == ["anna"])
        #expect(members.all == ["bert"])
        #expect(members.dropped == 1)
        let hadSeat = members.leave(try #require(seats[0]))
        #expect(!hadSeat)
        let others = members.drop { _ in false }
        #expect(others.isEmpty)
    }

    @Test("the end is told to everybody, and nobody comes any more")
    func end() {
        var members = FeedMembers<String>()
        for name in ["anna", "bert"] { _ = members.join(name) }
        let told = members.end()
        #expect(told.sorted() == ["anna", "bert"])
        #expect(members.isEmpty && members.isEnding)
        let seat = members.join("carl")
        #expect(seat == nil)
        #expect(members.dropped == 0)
    }

    @Test("a seat is given up with its last reference, once")
    func lastReference() {
        let left = Guarded(0)
        var seats: [FeedSeat<String>] = [FeedSeat("anna") { left.withLock { $0 += 1 } }]
        seats.append(seats[0])
        seats.removeFirst()
        #expect(seats[0].listener == "anna")
        #expect(left.withLock { $0 } == 0)
        seats.removeAll()
        #expect(left.withLock { $0 } == 1)
    }
}
