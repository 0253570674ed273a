/// A place in what a tail has seen.
struct TailMark: Hashable, Sendable {
    /// Drawn for each life of a feed: the positions of another life, or of another server, say nothing here.
    let stream: UInt64
    /// Of the next entry.
    let position: UInt64
}
