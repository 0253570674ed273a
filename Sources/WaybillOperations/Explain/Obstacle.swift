/// Something that keeps notifications from being sent at this moment, or has kept them until just now.
package struct Obstacle: Hashable, Sendable {
    /// Whose notifications it keeps; `nil` for those of all lanes.
    package var lane: String?
    /// What it is, in a sentence.
    package var text: String
    /// What ends it, in sentences; `nil` where nobody can do more than wait, or know.
    package var remedy: String?

    package init(_ text: String, remedy: String? = nil, lane: String? = nil) {
        self.lane = lane
        self.text = text
        self.remedy = remedy
    }
}
