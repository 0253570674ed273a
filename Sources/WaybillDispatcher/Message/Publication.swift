import WaybillCore
import WaybillThreads

/// Something the broker must confirm before the parts it stands for are settled.
package struct Publication: Sendable {
    enum Content: Sendable {
        case tokenEvent(InvalidTokenEvent)
        /// The items at ``positions``, as a message of their own for a delay queue; the wait, which begins with it, is only of
        /// what was not sent.
        case retry(InFlightMessage, step: Int, pass: Int, wait: LaneWait?)
        /// The whole message under another identity: a second notification of a content without a time of its own.
        case another(InFlightMessage, identity: MessageIdentity, isCopy: Bool)
        case rejectedBody(RejectedBody)
    }

    let content: Content
    let finalizer: Finalizer
    /// Which parts of the finalizer are settled by the confirm: positions in the message's batch; 0 for a body that cannot be
    /// read.
    let positions: [Int]
    /// It was published before and its confirm never came, so the broker may have it already.
    var mayBeThere = false
}

extension Publication {
    /// How many positions a retry's header names at the most: all headers must fit one frame of 128 KiB.
    static let positionsPerRetry = 10_000

    /// Some items of a message for a delay queue.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - positions: of the items, ascending.
    ///   - step: the delay queue, by its position in the steps.
    ///   - pass: which pass the retry will be.
    ///   - wait: why they wait and since when, if they were not sent; its end is that of the delay.
    /// - Returns: one message, or several when there are more items than one may name.
    static func retries(
        of message: InFlightMessage,
        positions: [Int],
        step: Int,
        pass: Int,
        wait: LaneWait? = nil
    ) -> [Publication] {
        stride(from: 0, to: positions.count, by: positionsPerRetry).map { start in
            let part = Array(positions[start..<min(start + positionsPerRetry, positions.count)])
            return Publication(
                content: .retry(message, step: step, pass: pass, wait: wait),
                finalizer: message.finalizer,
                positions: part
            )
        }
    }
}

extension Publication {
    /// A message under a random identity of its own, straight back to the dispatchers.
    static func another(_ message: InFlightMessage, isCopy: Bool) -> [Publication] {
        let identity = MessageIdentity(milliseconds: UInt64(WallClock.milliseconds()), digest: .random())
        return another(message, identity: identity, isCopy: isCopy)
    }

    /// A message under an identity of its own, straight back to the dispatchers.
    ///
    /// isCopy: its notifications may have been pushed before.
    static func another(_ message: InFlightMessage, identity: MessageIdentity, isCopy: Bool) -> [Publication] {
        let count = message.batch.items.count
        return stride(from: 0, to: count, by: positionsPerRetry).map { start in
            let part = Array(start..<min(start + positionsPerRetry, count))
            return Publication(
                content: .another(message, identity: identity, isCopy: isCopy),
                finalizer: message.finalizer,
                positions: part
            )
        }
    }
}
