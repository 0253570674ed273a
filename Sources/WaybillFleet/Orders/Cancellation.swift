package import WaybillCore
import WaybillEncoding

/// An order to send nothing more of a batch, which was taken back: nothing follows it any more.
package struct LiftedCancellation: Hashable, Sendable {
    package var cancellation: Cancellation
    /// Who has taken it back.
    package var source: OrderSource

    package init(_ cancellation: Cancellation, by source: OrderSource) {
        self.cancellation = cancellation
        self.source = source
    }
}

/// An order to send nothing more of a batch.
package struct Cancellation: Hashable, Sendable {
    /// How long it holds.
    ///
    /// No message waits for longer: `retry.max_age` has this limit. An audience may; fan-out ends it before the order ends.
    package static let keeping = Duration.seconds(35 * 86_400)

    /// For how long after the order messages without a time of their own are taken for the batch that was meant.
    package static let reach = Duration.seconds(6 * 3600)

    /// How many may hold at once, of one client and in all: every dispatcher reads them every second.
    package static let mostOfOneClient = 500
    package static let most = 2000
    /// How many that are for one client each: what is left is for whoever has the whole installation to look after.
    package static let mostOfClients = 1500
    /// How many that were taken back are kept to be looked at.
    package static let mostLifted = 1000

    package var batch: BatchName
    /// Whose batch; `nil` for anybody's of that name.
    package var client: String?
    /// Who gave it, and when by the store's clock.
    package var source: OrderSource
    /// How far the clock of the batch's producer is ahead, in milliseconds.
    package var lead: Int64

    /// - Parameters:
    ///   - batch: which one.
    ///   - client: whose; `nil` for anybody's.
    ///   - source: who gives it.
    ///   - lead: how far the clock of the batch's producer is ahead, in milliseconds.
    package init(batch: BatchName, client: String?, source: OrderSource, lead: Int64 = 0) {
        self.batch = batch
        self.client = client
        self.source = source
        self.lead = lead
    }

    /// The `_id` of its document.
    package var id: String { OrderID.of(self) }

    /// When it ends, in milliseconds since 1970.
    package var end: Int64 { source.date + Int64(Self.keeping / .milliseconds(1)) }

    /// The latest time of its own that a message may have, in milliseconds since 1970.
    package var coversUntil: Int64 { source.date + lead }

    package static func == (left: Self, right: Self) -> Bool {
        left.isSameOrder(as: right) && left.source == right.source && left.lead == right.lead
    }

    /// Whether both are about the same batch of the same client, whoever gave them.
    package func isSameOrder(as other: Self) -> Bool {
        batch == other.batch && client.isExactly(other.client)
    }

    /// Whether it is about a message.
    ///
    /// - Parameters:
    ///   - batch: the message's.
    ///   - client: the message's.
    ///   - time: the message's own, in milliseconds since 1970: what is published after the order, under the same name, is
    ///     another batch.
    ///   - isOwnTime: whether the producer gave it that time. The time of another message is when it was first seen here, so
    ///     whatever is seen within ``reach`` of the order is covered.
    /// - Returns: whether nothing of the message is to be sent.
    package func covers(batch: String, client: String?, time: Int64, isOwnTime: Bool = true) -> Bool {
        let reach = isOwnTime ? 0 : Int64(Self.reach / .milliseconds(1))
        return time - reach <= coversUntil && names(batch: batch, client: client)
    }

    /// Whether it is about messages of this batch and this client, whenever they were published.
    package func names(batch: String, client: String?) -> Bool {
        self.batch.includes(batch) && (self.client == nil || self.client.isExactly(client))
    }
}
