package import WaybillCore
import WaybillDeliveryLog
package import WaybillProviders

/// Decides what happens to each item of a message before anything is sent: pure, one pass over the batch.
package struct SendPlan {
    /// To the lane's provider.
    package private(set) var requests: SendRequests
    /// Straight to the log: items that are invalid or too late.
    private(set) var outcomes: [ItemOutcome] = []
    /// Items of which another delivery has left a record that settles them; they are not sent again.
    private(set) var settled: [Int] = []
    /// The events of such items, which may never have been published, by their positions.
    private(set) var tokenEvents: [(position: Int, event: InvalidTokenEvent)] = []
    /// Items whose retries are published again.
    private(set) var again: [Again: [Int]] = [:]

    /// A retry that the log knows of.
    struct Again: Hashable {
        let step: Int
        let pass: Int
    }

    /// Plans a message.
    ///
    /// - Parameters:
    ///   - message: what is to be sent, with what the log knows of it.
    ///   - lanes: the configured ones.
    ///   - policy: says when retries end in any case.
    ///   - now: milliseconds since 1970.
    ///   - receipts: makes the capabilities of those that ask for receipts; `nil` where none are made.
    ///   - canceller: who has cancelled the message's batch; `nil` if nobody has.
    package init(
        _ message: InFlightMessage,
        lanes: [Lane],
        policy: RetryPolicy,
        now: Int64,
        receipts: ReceiptSigner? = nil,
        canceller: String? = nil
    ) {
        let retriesEnd = message.retriesEnd(policy)
        let items = message.batch.items
        requests = SendRequests(for: lanes[message.batch.lane], capacity: items.count)
        for position in items.indices {
            plan(
                items[position].content,
                at: position,
                of: message,
                lanes: lanes,
                policy: policy,
                retriesEnd: retriesEnd,
                now: now,
                receipts: receipts,
                canceller: canceller
            )
        }
        requests.seal()
    }

    /// Looks into an item's content once, and where it lies: inlined, it would be copied, which costs as much as the rest.
    @inline(never)
    private mutating func plan(
        _ content: Batch.Item.Content,
        at position: Int,
        of message: InFlightMessage,
        lanes: [Lane],
        policy: RetryPolicy,
        retriesEnd: Int64?,
        now: Int64,
        receipts: ReceiptSigner?,
        canceller: String?
    ) {
        let recorded = message.recalledDelivery(at: position)
        let isRecorded = recorded?.outcome.isFinal == true
        switch content {
        case .invalid(let invalid):
            guard !isRecorded else { return settled.append(position) }
            refuse(position, of: message, reason: invalid.reason, now: now)
        case .valid(let notification):
            if let recorded, isRecorded {
                if message.mayHaveBeenPushed(beside: recorded) {
                    return end(position, of: message, .cancelled(by: "an order"), after: recorded, now: now)
                }
                let event = TokenReport.makeEvent(
                    for: notification,
                    recorded: recorded,
                    batch: message.batch,
                    lanes: lanes
                )
                if let event { tokenEvents.append((position, event)) } else { settled.append(position) }
                return
            }
            if recorded == nil, notification.fingerprint != nil, message.isIDTaken(at: position) {
                let reason = "apns_id: is recorded already for another notification"
                return refuse(position, of: message, reason: reason, now: now)
            }
            if let canceller {
                return end(position, of: message, .cancelled(by: canceller), after: recorded, now: now)
            }
            let deadline = notification.deadline(messageTime: message.origin.time, retriesEnd: retriesEnd)
            if deadline.hasPassed(at: now / 1000) {
                return end(position, of: message, .tooLate(deadline.cause), after: recorded, now: now)
            }
            if let newer = message.newer(at: position) {
                return end(position, of: message, .superseded(by: newer), after: recorded, now: now)
            }
            if let recorded {
                switch message.step(ofDeferred: recorded.next, now: now) {
                case .push: break
                case .drop: return settled.append(position)
                case .publishAgain(let next):
                    let step = policy.step(covering: next.due - now)
                    return again[Again(step: step, pass: next.number), default: []].append(position)
                }
            }
            if notification.asksReceipt, let receipts {
                requests.append(
                    notification,
                    position: position,
                    notAfter: deadline.seconds,
                    attemptsLeft: policy.maxAttempts - message.origin.pass,
                    signer: receipts,
                    now: now / 1000
                )
            } else {
                requests.append(
                    notification,
                    position: position,
                    notAfter: deadline.seconds,
                    attemptsLeft: policy.maxAttempts - message.origin.pass
                )
            }
        }
    }

    private mutating func end(
        _ position: Int,
        of message: InFlightMessage,
        _ cause: Ending.Cause,
        after recorded: RecordedDelivery?,
        now: Int64
    ) {
        var outcome = ItemOutcome(message: message, position: position, outcome: .deferred, date: now)
        outcome.end(cause, after: recorded)
        outcomes.append(outcome)
    }

    private mutating func refuse(_ position: Int, of message: InFlightMessage, reason: String, now: Int64) {
        outcomes.append(
            ItemOutcome(message: message, position: position, outcome: .invalid, reason: reason, date: now)
        )
    }
}
