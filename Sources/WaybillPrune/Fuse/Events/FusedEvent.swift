import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages

/// An event, and the entry under which it stands in the store.
struct FusedEvent {
    let event: InvalidTokenEvent
    private(set) var entry: TokenEvents.Entry

    /// One that has come.
    ///
    /// - Parameters:
    ///   - event: as the log tells it.
    ///   - isKnown: whether the registry has its device.
    init(_ event: InvalidTokenEvent, isKnown: Bool) {
        self.event = event
        entry = TokenEvents.Entry(
            id: TokenEvents.id(event),
            name: FuseName(event),
            at: event.observedAt,
            event: String(decoding: event.encoded(), as: UTF8.self),
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

    /// The same as it was put down when it came first; `nil` where it stands in none of the states.
    func stored(_ stored: [String: TokenEvents.Stored], in states: Set<TokenEvents.State>) -> FusedEvent? {
        guard let first = stored[entry.id], states.contains(first.state) else { return nil }
        var event = self
        event.entry.isKnown = first.isKnown
        return event
    }

    /// What becomes of it.
    ///
    /// - Parameter fuses: those that have ever blown.
    /// - Returns: what its own fuse says.
    func fate(_ fuses: [FuseName: Fuse]) -> Fuse.Fate {
        fuses[entry.name]?.fate(observedAt: entry.at) ?? .carriedOut
    }
}
