import Testing
import WaybillCore

/// What a repeat's id derives from.
struct FamilyMemberTests {
    private static let first = NotificationID(high: 0x019A_4F2E_7C10_8A31, low: 0x9A3B_5D8C_4E00_0007)
    private static let begins: Int64 = 1_790_000_000_000

    private static func id(_ number: Int, first: NotificationID = Self.first, interval: Int = 60) -> NotificationID {
        FamilyMember(first: first, number: number, limit: 20, begins: begins).id(interval: interval)
    }

    @Test func familyAndNumberMakeIt() {
        let ids = (1...20).map { Self.id($0) }
        #expect(Set(ids).count == 20)
        #expect(ids == (1...20).map { Self.id($0) }, "whoever asks")
        let other = NotificationID(high: Self.first.high, low: Self.first.low + 1)
        #expect(Self.id(1, first: other) != ids[0])
        // The limit is no part of it: a family has one.
        #expect(FamilyMember(first: Self.first, number: 3, limit: 3, begins: Self.begins).id(interval: 60) == ids[2])
    }

    /// Ids of one time lie together in the log's index, and statistics find the record by it.
    @Test func itBeginsWithTheTimeForWhichItWasPlanned() {
        #expect(Self.id(3, interval: 600).high >> 16 == UInt64(Self.begins + 1_800_000))
    }
}
