import WaybillCore

/// Remembers which messages have come lately, so that one that its producer publishes again soon is looked up before it is
/// sent: a confirm that came too late is the usual cause, and the copy follows within seconds.
///
/// What comes to another dispatcher, or after so many others that it is forgotten, is sent, and then marked as a repeat by
/// the record that it meets. What is older than its queue's messages usually are is looked up anyway.
///
/// *Thread:* the consumer's.
struct RecentMessages {
    /// Messages at the least, in a few megabytes; up to twice as many are remembered.
    static let capacity = 262_144

    private let capacity: Int
    private var young: Set<UInt64> = []
    private var old: Set<UInt64> = []

    init(capacity: Int = Self.capacity) {
        self.capacity = capacity
    }

    /// Remembers a message.
    ///
    /// - Returns: whether it was here lately. Two different ones that are taken for the same cost one look-up.
    mutating func hasSeen(_ identity: MessageIdentity) -> Bool {
        let key = identity.digest.high ^ (identity.milliseconds ?? 0)
        guard young.insert(key).inserted else { return true }
        let isKnown = old.contains(key)
        if young.count >= capacity {
            old = young
            young = []
        }
        return isKnown
    }
}
