package import WaybillTLS

/// What joins notifications: a later one with the same key replaces the earlier one on the device.
package enum CollapseKey: Hashable, Sendable {
    /// None: every notification stands for itself.
    case none
    /// The producer's own, as its provider's rules allow it.
    case explicit(ArraySlice<UInt8>)
    /// A digest, sent as its 64 lower-case hexadecimal digits. Kept as 32 bytes so that an item allocates nothing.
    case digest(SHA256Digest)
}
