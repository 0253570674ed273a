package import WaybillCore

/// The names of the queues, all below one prefix so that several installations share a broker.
package struct QueueNames: Hashable, Sendable {
    package let prefix: String

    package init(prefix: String) {
        self.prefix = prefix
    }

    /// Batches from producers, and those that come back for another attempt.
    package var dispatch: String { prefix + ".dispatch" }
    /// Bodies that nobody could read, and messages that were delivered too often.
    package var rejected: String { prefix + ".rejected" }
    /// Events for the pruning worker.
    package var invalidTokens: String { prefix + ".invalid-tokens" }
    /// Items that wait for another attempt.
    package func delay(_ step: DelayStep) -> String { "\(prefix).delay.\(step.name)" }
}
