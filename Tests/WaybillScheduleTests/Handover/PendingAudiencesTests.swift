import Testing
import WaybillMongo
import WaybillNotifications

@testable import WaybillSchedule

@Suite struct PendingAudiencesTests {
    private static func claimed(_ number: Int) throws -> PostedStore.Claimed {
        let document = BSONDocument { $0.append("_id", string: "n-\(number)") }
        let id = try #require(document.identifier("_id"))
        return PostedStore.Claimed(id: id, audience: "n-\(number)", body: [], begins: 0, claimedAt: 0)
    }

    @Test("what is found again, because its claim has ended, is not published twice")
    func again() throws {
        var pending = PendingAudiences()
        #expect(pending.isEmpty)
        let taken = try [1, 2, 1, 3, 2].map { pending.take(try Self.claimed($0)) }
        #expect(taken == [true, true, false, true, false])
        #expect(pending.audiences.map(\.audience) == ["n-1", "n-2", "n-3"])
    }

    @Test("a page is full, and takes no more")
    func full() throws {
        var pending = PendingAudiences()
        for number in 0..<PendingAudiences.most {
            #expect(pending.room > 0)
            _ = pending.take(try Self.claimed(number))
        }
        #expect(pending.room == 0)
    }

    @Test("what was cancelled waits no more")
    func dropped() throws {
        var pending = PendingAudiences()
        for number in 1...3 { _ = pending.take(try Self.claimed(number)) }
        pending.drop([try Self.claimed(2).id, try Self.claimed(4).id])
        #expect(pending.audiences.map(\.audience) == ["n-1", "n-3"])
    }
}
