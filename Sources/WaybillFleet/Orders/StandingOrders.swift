import WaybillCore

/// All orders that hold.
package struct StandingOrders: Hashable, Sendable {
    /// By lane.
    package private(set) var lanes: [String: LaneOrder] = [:]
    private var cancellations: [String: [Cancellation]] = [:]
    /// Cancellations that were taken back; they hold no more.
    package private(set) var lifted: [LiftedCancellation] = []
    /// What stands among the orders and is followed by nobody.
    package private(set) var unreadable: [UnreadableOrder] = []

    package init() {}

    package var hasCancellations: Bool { !cancellations.isEmpty }

    /// Every cancellation, the latest first.
    package var cancelled: [Cancellation] {
        cancellations.values.joined().sorted { $0.source.date > $1.source.date }
    }

    package mutating func add(_ order: LaneOrder) { lanes[order.lane] = order }

    package mutating func add(_ cancellation: Cancellation) {
        cancellations[cancellation.batch.name, default: []].append(cancellation)
    }

    package mutating func add(_ cancellation: LiftedCancellation) { lifted.append(cancellation) }

    package mutating func add(_ order: UnreadableOrder) { unreadable.append(order) }

    /// The order that keeps a message from being sent.
    ///
    /// - Parameters:
    ///   - batch: the message's.
    ///   - client: the message's.
    ///   - time: the message's own, in milliseconds since 1970.
    ///   - isOwnTime: whether the producer gave it that time.
    /// - Returns: `nil` if there is none.
    package func cancellation(
        batch: String,
        client: String?,
        time: Int64,
        isOwnTime: Bool = true
    ) -> Cancellation? {
        named(batch).first { $0.covers(batch: batch, client: client, time: time, isOwnTime: isOwnTime) }
    }

    /// The cancellations that end before a time, in milliseconds since 1970.
    package func cancellations(endingBefore time: Int64) -> [Cancellation] {
        cancellations.values.joined().filter { $0.end < time }
    }

    /// The last order about a message's batch, whenever the message was published.
    ///
    /// - Parameters:
    ///   - batch: the message's.
    ///   - client: the message's.
    /// - Returns: `nil` if there is none.
    package func lastCancellation(batch: String, client: String?) -> Cancellation? {
        named(batch).filter { $0.names(batch: batch, client: client) }.max { $0.coversUntil < $1.coversUntil }
    }

    private func named(_ batch: String) -> [Cancellation] {
        (cancellations[batch] ?? []) + (BatchName.whole(of: batch).flatMap { cancellations[$0] } ?? [])
    }
}
