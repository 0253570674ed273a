package import WaybillCore

/// The names of the exchanges and the queues, all below one prefix so that several installations share a broker.
package struct QueueNames: Hashable, Sendable {
    package let prefix: String
    /// Numbered dispatch queues beside the plain one; 0 for most installations.
    package let numberedQueues: Int

    package init(prefix: String, numberedQueues: Int = 0) {
        self.prefix = prefix
        self.numberedQueues = numberedQueues
    }

    /// A queue by the part of its name behind the prefix.
    package func named(_ name: String) -> String { "\(prefix).\(name)" }

    /// The direct exchange that producers publish to; it leads to ``reachedByProducers``, and nowhere else.
    package var exchange: String { named("in") }
    /// Batches from producers.
    package var dispatch: String { named("dispatch") }
    /// Batches from producers that share their load out over several queues.
    package func dispatch(_ number: Int) -> String { "\(dispatch).\(number)" }
    /// For single notifications and whatever is urgent, the plain queue first.
    package var dispatchQueues: [String] { [dispatch] + (0..<numberedQueues).map(dispatch(_:)) }
    /// Batches that can wait: dispatchers serve the dispatch queues first, and this one with what is left, never less than
    /// a tenth.
    package var bulk: String { named("bulk") }
    /// Content for devices that are named otherwise than by tokens.
    package var audience: String { named("audience") }
    /// Where the exchange leads to, each queue under its own name.
    package var reachedByProducers: [String] { dispatchQueues + [bulk, audience] }
    /// The direct exchange for rejected messages that an operator sends again; it leads to ``reachedByReplays``, and nowhere else.
    package var replayExchange: String { named("replay") }
    /// Where ``replayExchange`` leads to, each queue under its own name.
    package var reachedByReplays: [String] { [retry, audience, invalidTokens] }
    /// What comes back for another attempt, and what an operator sends again: only Waybill may write here.
    package var retry: String { named("retry") }
    /// Everything that dispatchers consume: the dispatch queues, the bulk queue, and the retry queue as the last.
    package var consumed: [String] { dispatchQueues + [bulk, retry] }
    /// The consumed queues in one word, for people.
    package var consumedText: String {
        switch numberedQueues {
        case 0: "\(dispatch), \(bulk), \(retry)"
        case 1: "\(dispatch), \(dispatch(0)), \(bulk), \(retry)"
        default: "\(dispatch), \(dispatch(0))…\(numberedQueues - 1), \(bulk), \(retry)"
        }
    }
    /// Bodies that nobody could read, and messages that were delivered too often.
    package var rejected: String { named("rejected") }
    /// Events for the pruning worker.
    package var invalidTokens: String { named("invalid-tokens") }
    /// How the names of all delay queues begin.
    package var delayPrefix: String { named("delay.") }
    /// Items that wait for another attempt.
    package func delay(_ step: DelayStep) -> String { delayPrefix + step.name }

    /// Where a producer of ours puts a message: the same body always goes to the same queue.
    ///
    /// The numbered queues share the messages by a hash of the body (FNV-1a), which names its batch.
    package func dispatch(for body: [UInt8]) -> String {
        guard numberedQueues > 0 else { return dispatch }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return dispatch(Int(hash % UInt64(numberedQueues)))
    }
}
