import Synchronization
import WaybillCore
import WaybillFleet
import WaybillProviders
import WaybillThreads

/// The operators' orders as this dispatcher follows them; any thread.
final class OrdersInForce: Sendable {
    private let orders = Guarded<StandingOrders?>(nil)
    /// Nearly always there is none, and then a message costs no lock.
    private let hasCancellations = Atomic(false)

    private let reason = Guarded<String?>(nil)

    /// Why they cannot be read now; `nil` when they can.
    var unreadFor: String? {
        get { reason.withLock { $0 } }
        set { reason.withLock { $0 = newValue } }
    }

    /// Whether the orders have been read once: before that, nothing may be sent that somebody has cancelled.
    var areKnown: Bool { current != nil }

    /// The orders that were read last.
    var current: StandingOrders? { orders.withLock { $0 } }

    /// The cancellations of which it was told that something published after them is sent.
    private let told = Guarded<Set<Cancellation>>([])

    /// Puts other orders in force.
    func replace(_ new: StandingOrders) {
        orders.withLock { $0 = new }
        told.withLock { $0.formIntersection(new.cancelled) }
        hasCancellations.store(new.hasCancellations, ordering: .releasing)
    }

    /// Who has cancelled a message; `nil` if nobody has.
    func cancelled(_ message: InFlightMessage) -> String? {
        guard hasCancellations.load(ordering: .acquiring) else { return nil }
        let batch = message.batch
        let (time, isOwnTime) = (message.origin.time, message.origin.isTimeItsOwn)
        return orders.withLock {
            $0?.cancellation(batch: batch.id, client: batch.client, time: time, isOwnTime: isOwnTime)
        }?
        .source.name
    }

    /// The cancellation of a message's batch that does not cover it, because it says that it was published later.
    ///
    /// - Returns: each cancellation once; `nil` where there is none, or it was told.
    func outlived(by message: InFlightMessage) -> Cancellation? {
        guard hasCancellations.load(ordering: .acquiring) else { return nil }
        let batch = message.batch
        guard let last = orders.withLock({ $0?.lastCancellation(batch: batch.id, client: batch.client) }),
            message.origin.time > last.coversUntil
        else { return nil }
        return told.withLock { $0.insert(last).inserted } ? last : nil
    }

    /// Whether a batch that waits for a stream belongs to a message that somebody has cancelled.
    func isCancelled(_ owner: any SendOwner) -> Bool {
        (owner as? InFlightMessage).map { cancelled($0) != nil } ?? false
    }
}
