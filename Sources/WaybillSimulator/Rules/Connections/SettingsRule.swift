/// The values of a connection's SETTINGS (RFC 9113 §6.5.2) that differ from the simulator's own.
package struct SettingsRule: Hashable, Sendable {
    /// The stream limit, from the start and for good.
    package var maxConcurrentStreams: Int?
    /// The window of each stream, in bytes.
    package var initialWindowSize: Int?
    /// The largest header list, in bytes as RFC 9113 counts them; requests with a larger one are reset.
    package var maxHeaderListSize: Int?
    /// The most bytes that the client's HPACK encoder may keep.
    package var headerTableSize: Int?
    /// The largest frame.
    package var maxFrameSize: Int?

    package init() {}
}
