import Synchronization
import WaybillCore

/// What must become durable of one delivery before its tag is acknowledged; the message's parts carry it with them.
///
/// The delivery is settled when each of its parts is: an item whose record is durable and whose event or retry the broker has
/// confirmed, or the confirmed copy of a body that cannot be read.
final class Finalizer: Sendable {
    /// Which connection the message came over; a delivery tag means nothing on another one.
    let epoch: Int
    let deliveryTag: UInt64
    /// Notifications, at least 1; what the in-flight budget counts.
    let itemCount: Int
    let byteCount: Int
    /// `nil` for a body that cannot be read.
    let lane: Int?
    /// Tells a redelivered copy of a message that is still in flight here from a new message; `nil` for a body that
    /// cannot be read.
    let name: Name?
    private let unsettled: Atomic<Int>

    /// Two messages have the same one if they are copies of each other.
    struct Name: Hashable {
        let identity: MessageIdentity
        /// 0 for the producer's own message.
        let pass: Int
        let firstPosition: Int
    }

    init(epoch: Int, deliveryTag: UInt64, itemCount: Int, byteCount: Int, lane: Int?, name: Name?) {
        self.epoch = epoch
        self.deliveryTag = deliveryTag
        self.itemCount = max(1, itemCount)
        self.byteCount = byteCount
        self.lane = lane
        self.name = name
        unsettled = Atomic(max(1, itemCount))
    }

    /// Counts parts as settled.
    ///
    /// - Returns: whether these were the last ones; true exactly once.
    func settle(_ count: Int) -> Bool {
        unsettled.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
    }
}
