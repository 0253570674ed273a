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
        let fused = FusedEvent(event, isKnown: true, now: Self.start)
        var fuses: [FuseName: Fuse] = [:]
        if let state { fuses[FuseName(event)] = Self.fuse(event, state, since: Self.start + storm) }
        #expect(fused.fate(fuses) == fate)
        // Another lane's is none of its business.
        var other = event
        other.lane = "letters"
        #expect(FusedEvent(other, isKnown: true, now: Self.start).fate(fuses) == .carriedOut)
    }

    @Test("what stands in the store is the event that has come", arguments: [true, false])
    func stored(isKnown: Bool) throws {
        let event = RemovalCases.suspect()
        let entry = FusedEvent(event, isKnown: isKnown, now: Self.start).entry
        #expect((entry.name, entry.at, entry.isKnown) == (FuseName(event), event.observedAt, isKnown))
        let read = try #require(FusedEvent(entry))
        #expect(read.event == event)
        #expect(read.entry == entry)
    }

    @Test("the fuse has the record's time, and the registry none after the present one, however often it comes")
    func ahead() throws {
        let event = RemovalCases.dead()
        let first = FusedEvent(event, isKnown: true, now: Self.start - 50_000)
        #expect((first.entry.at, first.event.observedAt) == (Self.start, Self.start - 50_000))
        #expect(try #require(FusedEvent(first.entry)).event == first.event)
        let known = TokenEvents.Stored(state: .applied, event: first.entry.event, isKnown: false)
        let stored = [first.entry.id: known]
        let again = FusedEvent(event, isKnown: true, now: Self.start - 10_000)
        let applied = try #require(again.stored(stored, in: [.applied]))
        #expect((applied.event, applied.entry.event) == (first.event, first.entry.event))
        #expect(!applied.entry.isKnown)
        #expect(again.stored(stored, in: [.held]) == nil)
        #expect(again.stored([:], in: [.applied]) == nil)
    }

    @Test("what cannot be read is none")
    func unreadable() {
        var entry = FusedEvent(RemovalCases.dead(), isKnown: true, now: Self.start).entry
        entry.event = "{}"
        #expect(FusedEvent(entry) == nil)
    }
}
