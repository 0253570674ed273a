import WaybillCore

/// Remembers which messages have come lately, with their retries, so that a copy is looked up before it is sent.
///
/// A producer publishes a message again when a confirm comes too late, within seconds. Fan-out publishes a page again as a
/// retry, which overtakes the original in the bulk queue.
///
/// A copy that comes to another dispatcher, or after so many others that the first is forgotten, is sent, and then marked as a
/// repeat by the record that it meets. A message older than its queue's messages usually are is looked up anyway.
///
/// *Thread:* the consumer's.
struct RecentMessages {
    /// Messages at the least, in a few megabytes; up to twice as many are remembered.
    static let capacity = 262_144

    private let capacity: Int
    private var young: Set<UInt64> = []
    private var old: Set<UInt64> = []
    /// Of messages that have come as retries alone; mostly none.
    private var retries: Set<UInt64> = []

    init(capacity: Int = Self.capacity) {
        self.capacity = capacity
    }

    /// The memory of a message.
    enum Memory: Equatable {
        case unknown
        case seen
        /// A retry of it came, and the message itself did not.
        case seenAsRetry
    }

    /// Remembers a message.
    ///
    /// - Parameters:
    ///   - identity: the message's.
    ///   - isRetry: what came is a retry of it.
    /// - Returns: what was remembered before. Two different messages that are taken for the same cost one look-up.
    mutating func remember(_ identity: MessageIdentity, isRetry: Bool = false) -> Memory {
        let key = identity.digest.high ^ (identity.milliseconds ?? 0)
        if isRetry {
            if young.contains(key) || old.contains(key) { return .seen }
            if retries.count >= capacity { retries = [] }
            return retries.insert(key).inserted ? .unknown : .seenAsRetry
        }
        guard young.insert(key).inserted else { return .seen }
        let memory: Memory =
            old.contains(key) ? .seen : retries.isEmpty || retries.remove(key) == nil ? .unknown : .seenAsRetry
        if young.count >= capacity {
            old = young
            young = []
        }
        return memory
    }
}
