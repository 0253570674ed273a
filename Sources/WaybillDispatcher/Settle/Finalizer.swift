import Synchronization
import WaybillCore

/// What must become durable of one delivery before its tag is acknowledged; the message's parts carry it with them.
///
/// Its parts are the message's items, or the one body that cannot be read. Whoever makes a part durable settles it: the
/// sender finds its final record in the log, the log thread writes its record, the publisher has its event, its retry or the
/// rejected body confirmed. With the last part the consumer's thread is told, and the ``DeliveryTagTracker`` acknowledges.
package final class Finalizer: Sendable {
    /// Which connection the message came over; a delivery tag means nothing on another one.
    package let epoch: Int
    package let deliveryTag: UInt64
    /// Notifications, at least 1.
    let itemCount: Int
    let byteCount: Int
    /// Whether it came from the bulk queue.
    let isBulk: Bool
    /// `nil` for a body that cannot be read.
    let lane: Int?
    /// The notifications that it holds; `nil` for a body that cannot be read.
    let part: MessagePart?
    private let unsettled: Atomic<Int>
    private let started = Atomic(false)

    package init(
        epoch: Int,
        deliveryTag: UInt64,
        itemCount: Int,
        byteCount: Int,
        isBulk: Bool = false,
        lane: Int?,
        part: MessagePart?
    ) {
        self.epoch = epoch
        self.deliveryTag = deliveryTag
        self.itemCount = max(1, itemCount)
        self.byteCount = byteCount
        self.isBulk = isBulk
        self.lane = lane
        self.part = part
        unsettled = Atomic(max(1, itemCount))
    }

    /// Whether the message was started, and is counted with what its lane has.
    ///
    /// *Thread:* the consumer's.
    var hasStarted: Bool {
        get { started.load(ordering: .relaxed) }
        set { started.store(newValue, ordering: .relaxed) }
    }

    /// Counts parts as settled.
    ///
    /// - Returns: whether these were the last ones; true exactly once.
    func settle(_ count: Int) -> Bool {
        unsettled.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
    }
}
