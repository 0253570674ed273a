import WaybillAPNS
import WaybillCore
import WaybillDeliveryLog

/// Decides what happens to each item of a ticket before anything is sent: pure, one pass over the batch.
struct SendPlan {
    /// To APNs.
    private(set) var requests: [APNSRequest] = []
    /// Straight to the log: items that are invalid or too late.
    private(set) var outcomes: [ItemOutcome] = []
    /// Items whose final record an earlier delivery has left; they are not sent again.
    private(set) var alreadyRecorded = 0
    /// The events of such items, which may never have been published.
    private(set) var tokenEvents: [InvalidTokenEvent] = []

    /// Plans a ticket.
    ///
    /// - Parameters:
    ///   - ticket: what is to be sent, with what the log knows of it.
    ///   - lanes: the configured ones.
    ///   - policy: says when retries end in any case.
    ///   - now: milliseconds since 1970.
    init(_ ticket: Ticket, lanes: [Lane], policy: RetryPolicy, now: Int64) {
        let lastResort = ticket.lastResort(policy)
        requests.reserveCapacity(ticket.batch.items.count)
        for position in ticket.batch.items.indices {
            let recorded = ticket.recalledDelivery(at: position)
            switch ticket.batch.items[position].content {
            case _ where recorded?.outcome.isFinal == true:
                alreadyRecorded += 1
                if let recorded, case .valid(let notification) = ticket.batch.items[position].content,
                    let event = TokenReport.makeEvent(
                        for: notification,
                        recorded: recorded,
                        batch: ticket.batch,
                        lanes: lanes
                    )
                {
                    tokenEvents.append(event)
                }
            case .invalid(let invalid):
                outcomes.append(
                    ItemOutcome(
                        ticket: ticket,
                        position: position,
                        outcome: .invalid,
                        reason: invalid.reason,
                        date: now
                    )
                )
            case .valid(let notification):
                if recorded == nil, notification.fingerprint != nil, ticket.isDisplaced(at: position) {
                    outcomes.append(
                        ItemOutcome(
                            ticket: ticket,
                            position: position,
                            outcome: .invalid,
                            reason: "apns_id: is recorded already for another notification",
                            date: now
                        )
                    )
                    continue
                }
                let deadline = notification.deadline(messageTime: ticket.origin.time, lastResort: lastResort)
                if deadline.hasPassed(at: now / 1000) {
                    var outcome = ItemOutcome(ticket: ticket, position: position, outcome: .expired, date: now)
                    outcome.end(.tooLate(deadline.cause), after: recorded)
                    outcomes.append(outcome)
                } else {
                    requests.append(APNSRequest(notification, notAfter: deadline.seconds, position: position))
                }
            }
        }
    }
}

extension APNSRequest {
    fileprivate init(_ notification: Notification, notAfter: Int64, position: Int) {
        self.init(
            index: position,
            deviceToken: notification.deviceToken,
            payload: notification.payload,
            topic: notification.topic,
            pushType: notification.pushType,
            priority: notification.priority,
            expiration: notification.expiration,
            notAfter: notAfter,
            apnsID: notification.apnsID,
            collapseID: notification.collapseID,
            resendsUnknown: notification.onUnknown == .resend
        )
    }
}
