/// Which repeat of an unacknowledged notification another one is.
///
/// All repeats of a notification are its family, which has the first one's id for its name. Each is a notification of its own, with
/// an id and a record of its own.
package struct FamilyMember: Hashable, Sendable {
    /// The id under which the first one was sent.
    package var first: NotificationID
    /// 1 for the first repeat.
    package var number: Int
    /// How many repeats there may be.
    package var limit: Int
    /// The first one's own time, from which ages count, in milliseconds since 1970.
    package var begins: Int64

    package init(first: NotificationID, number: Int, limit: Int, begins: Int64) {
        self.first = first
        self.number = number
        self.limit = limit
        self.begins = begins
    }

    /// What the repeat's id derives from: the family and the number alone, whoever publishes it and how often.
    ///
    /// - Parameter interval: of the family, in seconds; the id begins with the time for which the repeat was planned.
    /// - Returns: an identity that no producer's message has, for its hash is of a body that could be none.
    package func identity(interval: Int) -> MessageIdentity {
        MessageIdentity(
            milliseconds: UInt64(max(0, begins + Int64(number) * Int64(interval) * 1000)) & (1 << 48 - 1),
            digest: MessageDigest(batchID: first.description, body: Array("repeat \(number)".utf8))
        )
    }

    /// The repeat's id; `interval` as in ``identity(interval:)``.
    package func id(interval: Int) -> NotificationID { identity(interval: interval).id(at: 0) }
}
