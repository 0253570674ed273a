/// What all ids of a message derive from, the same at every delivery: its own time, and the hash of its name and content.
///
/// An id is a UUID of version 8 (RFC 9562); its 128 bits from the first (vectors in `schemas/test-vectors.json`):
/// - 48: the time in milliseconds since 1970, or the hash's first 48 for a message without a time of its own;
/// - 4: 1000, the version;
/// - 12: the hash's bits 52 to 63;
/// - 2: 10, the variant;
/// - 42: the hash's bits 66 to 107;
/// - 20: the notification's position.
///
/// So the ids of one moment lie together in an index, and those of one message form a range of their own.
package struct MessageIdentity: Hashable, Sendable {
    /// The message's own time in milliseconds since 1970, below 2^48; `nil` if it has none.
    package var milliseconds: UInt64?
    package var digest: MessageDigest

    package init(milliseconds: UInt64?, digest: MessageDigest) {
        self.milliseconds = milliseconds
        self.digest = digest
    }

    /// How many positions there are for notifications: far more than one message may hold.
    ///
    /// The other half of the 20 bits belongs to ``spareID(at:)``.
    package static let positionCount = 1 << 19

    /// The id of the notification at a position below ``positionCount``.
    package func id(at position: Int) -> NotificationID {
        let first = firstID
        return NotificationID(high: first.high, low: first.low | UInt64(position) & Self.positionMask)
    }

    /// The id for the record of a notification whose own id has been taken by another message; no position has it.
    package func spareID(at position: Int) -> NotificationID {
        Self.spareID(of: id(at: position))
    }

    /// The id that a record has in place of a derived one, if another notification's record has that.
    package static func spareID(of id: NotificationID) -> NotificationID {
        NotificationID(high: id.high, low: id.low | UInt64(positionCount))
    }

    /// Whether an id has the form of those that messages derive, this one or any other: a UUID of version 8.
    package static func mayDerive(_ id: NotificationID) -> Bool {
        id.high & 0xF000 == 0x8000 && id.low >> 62 == 0b10
    }

    /// Whether two derived ids are of one message: they differ in nothing but the position.
    package static func isOneMessage(_ first: NotificationID, _ second: NotificationID) -> Bool {
        first.high == second.high && first.low & ~positionMask == second.low & ~positionMask
    }

    private static let positionMask: UInt64 = 1 << 20 - 1

    private var firstID: NotificationID {
        let time = milliseconds ?? digest.high >> 16
        return NotificationID(
            high: time << 16 | 0x8000 | digest.high & 0x0FFF,
            low: 1 << 63 | digest.low & (1 << 62 - 1) & ~Self.positionMask
        )
    }
}
