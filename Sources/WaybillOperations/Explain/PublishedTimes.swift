/// When that was published which somebody asks about, in milliseconds since 1970, as far as it is known.
///
/// Only what was there before a lane was resumed can have waited for it.
package struct PublishedTimes: Hashable, Sendable {
    /// Of what has no record; `nil` where nobody knows, ``never`` where nothing has been published yet.
    package var unrecorded: Int64?
    /// The earliest of what is recorded and not final, by lane.
    package var lanes: [String: Int64]

    /// Later than any order.
    package static let never = Int64.max

    package init(unrecorded: Int64? = nil, lanes: [String: Int64] = [:]) {
        self.unrecorded = unrecorded
        self.lanes = lanes
    }

    /// Whether some of it may have waited for a lane that was resumed at a time.
    func mayHaveWaited(for lane: String, until time: Int64) -> Bool {
        guard let first = [lanes[lane], unrecorded].compactMap(\.self).min() else { return true }
        return first < time
    }

    /// The same without what a cancellation covers: that is not sent when it comes back.
    func published(after time: Int64?) -> PublishedTimes {
        guard let time else { return self }
        return PublishedTimes(unrecorded: max(unrecorded ?? time, time), lanes: lanes.mapValues { max($0, time) })
    }
}
