/// What an operator wants of a lane, until another order takes its place.
package struct LaneOrder: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// It sends; what an order before this one said is over.
        case open
        /// It sends nothing more; what waits for a stream is taken back.
        case paused
        /// It takes nothing more; what it has is still sent.
        case draining
    }

    package var lane: String
    package var state: State
    package var source: OrderSource

    package init(lane: String, state: State, source: OrderSource) {
        self.lane = lane
        self.state = state
        self.source = source
    }
}

/// Who gave an order, when and why.
package struct OrderSource: Hashable, Sendable {
    /// How many bytes a note has at the most: whoever shows an order shows it whole.
    package static let mostNoteBytes = 500

    /// Such as `anna@push-1`, or the name of a key.
    package var name: String
    /// Milliseconds since 1970.
    package var date: Int64
    /// In the operator's words.
    package var note: String?

    package init(name: String, date: Int64, note: String? = nil) {
        self.name = name
        self.date = date
        self.note = note
    }
}
