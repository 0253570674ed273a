import Testing
import WaybillAudience
import WaybillMessages

@testable import WaybillFanout

/// Which pages go to the bulk queue.
struct ExpansionTests {
    private static func audience(_ kind: AudienceSelection.Kind, pages: Int) -> Expansion.Audience {
        let message = AudienceMessage(
            id: "day-17",
            client: "acme",
            content: [],
            selection: AudienceSelection(app: "com.example.parcels", kind: kind)
        )
        return Expansion.Audience(
            record: AudienceRecord(message, createdAt: 0),
            message: message,
            pages: pages,
            leaseEnds: 0
        )
    }

    /// What names its people or devices passes bulk with its first page; what means whatever matches is bulk from the first.
    @Test(arguments: [
        (AudienceSelection.Kind.users(["ada"]), 0, false), (.users(["ada"]), 1, true), (.devices(["1"]), 0, false),
        (.devices(["1"]), 2, true), (.filter(AudienceFilter()), 0, true), (.filter(AudienceFilter()), 1, true),
    ])
    func aPageIsBulk(_ kind: AudienceSelection.Kind, pages: Int, isBulk: Bool) {
        #expect(Self.audience(kind, pages: pages).isBulk == isBulk)
    }

    @Test(arguments: [
        (AudienceSelection.Kind.users([]), false), (.devices([]), false), (.filter(AudienceFilter()), true),
    ])
    func onlyAFilterIsOpen(_ kind: AudienceSelection.Kind, isOpen: Bool) {
        #expect(AudienceSelection(app: "com.example.parcels", kind: kind).isOpen == isOpen)
    }
}
