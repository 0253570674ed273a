import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages

/// An event, and the entry under which it stands in the store.
///
/// It has two times. The entry's is that of the log's record: statistics count the answer in its minute, by the clock of the
/// dispatcher. The event's is what the registry gets, and never after the present one.
struct FusedEvent {
    private(set) var event: InvalidTokenEvent
    private(set) var entry: TokenEvents.Entry

    /// One that has come.
    ///
    /// - Parameters:
    ///   - event: as the log tells it.
    ///   - isKnown: whether the registry has its device.
    ///   - now: milliseconds since 1970.
    init(_ event: InvalidTokenEvent, isKnown: Bool, now: Int64) {
        let bounded = EventBelief.bounded(event, now: now)
        self.event = bounded
        entry = TokenEvents.Entry(
            id: TokenEvents.id(event),
            name: FuseName(event),
            at: event.observedAt,
            event: String(decoding: bounded.encoded(), as: UTF8.self),
            isKnown: isKnown
        )
    }

    /// One that stands in the store.
    ///
    /// - Returns: `nil` for what cannot be read, which nothing here has written.
    init?(_ entry: TokenEvents.Entry) {
        guard let event = try? InvalidTokenEvent(decoding: Array(entry.event.utf8)) else { return nil }
        self.event = event
        self.entry = entry
    }

    /// The same as it was put down when it came first: the registry has what was said then.
    ///
    /// - Parameters:
    ///   - stored: what stands in the store, by id.
    ///   - states: those that it may have.
    /// - Returns: `nil` where it stands in none of them.
    func stored(_ stored: [String: TokenEvents.Stored], in states: Set<TokenEvents.State>) -> FusedEvent? {
        guard let first = stored[entry.id], states.contains(first.state) else { return nil }
        var known = self
        known.entry.isKnown = first.isKnown
        if first.event != entry.event, let said = try? InvalidTokenEvent(decoding: Array(first.event.utf8)) {
            known.event = said
            known.entry.event = first.event
        }
        return known
    }

    /// What becomes of it.
    ///
    /// - Parameter fuses: those that have ever blown.
    /// - Returns: what its own fuse says.
    func fate(_ fuses: [FuseName: Fuse]) -> Fuse.Fate {
        fuses[entry.name]?.fate(observedAt: entry.at) ?? .carriedOut
    }
}
