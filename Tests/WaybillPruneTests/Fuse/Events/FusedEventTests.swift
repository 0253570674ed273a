import Testing
import WaybillCore
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport

@testable import WaybillPrune

/// What becomes of an event, and how it stands in the store.
@Suite struct FusedEventTests {
    /// The beginning of a storm that somebody has decided about a minute later.
    private static let start = RemovalCases.observedAt

    private static func fuse(_ event: InvalidTokenEvent, _ state: Fuse.State, since: Int64) -> Fuse {
        Fuse(
            name: FuseName(event),
            state: state,
            cause: Fuse.Cause(
                at: since,
                since: since,
                answers: 50,
                invalid: 50,
                limit: 200,
                usual: nil,
                reason: nil,
                words: ""
            ),
            decision: state == .blown ? nil : FuseDecision(name: "anna", date: since + 60_000)
        )
    }

    /// A fuse's state, when its storm began after the event, and what becomes of the event.
    private static let fates: [(Fuse.State?, Int64, Fuse.Fate)] = [
        (.blown, 0, .held), (.blown, 1, .carriedOut), (.released, 0, .carriedOut), (.discarded, 0, .discarded),
        (.discarded, -600_000, .carriedOut), (nil, 0, .carriedOut),
    ]

    @Test("it has the fate that its own fuse says", arguments: fates)
    func fate(state: Fuse.State?, storm: Int64, fate: Fuse.Fate) throws {
        let event = RemovalCases.dead()
        let fused = FusedEvent(event, isKnown: true)
        var fuses: [FuseName: Fuse] = [:]
        if let state { fuses[FuseName(event)] = Self.fuse(event, state, since: Self.start + storm) }
        #expect(fused.fate(fuses) == fate)
        // Another lane's is none of its business.
        var other = event
        other.lane = "letters"
        #expect(FusedEvent(other, isKnown: true).fate(fuses) == .carriedOut)
    }

    @Test("what stands in the store is the event that has come", arguments: [true, false])
    func stored(isKnown: Bool) throws {
        let event = RemovalCases.suspect()
        let entry = FusedEvent(event, isKnown: isKnown).entry
        #expect((entry.name, entry.at, entry.isKnown) == (FuseName(event), event.observedAt, isKnown))
        let read = try #require(FusedEvent(entry))
        #expect(read.event == event)
        #expect(read.entry == entry)
    }

    @Test("what cannot be read is none")
    func unreadable() {
        var entry = FusedEvent(RemovalCases.dead(), isKnown: true).entry
        entry.event = "{}"
        #expect(FusedEvent(entry) == nil)
    }
}
