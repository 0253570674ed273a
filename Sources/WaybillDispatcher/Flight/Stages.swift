import WaybillCore
import WaybillThreads

/// What the consumer's thread is told by the others.
enum ConsumerSignal: Sendable {
    /// Every part of the message is durable.
    case settled(Receipt)
    /// Something the consumer may be waiting for has changed: the store is back, a lane is open.
    case reconsider
    /// Take nothing more, drain and end.
    case stop
}

/// What a log thread is asked to do.
enum LogTask: Sendable {
    case write([ItemOutcome])
    /// Look up what is already recorded of a ticket's items, then hand it on to be sent.
    case recall(Ticket)
}

/// Something the broker must confirm before the parts it stands for are settled.
struct Publication: Sendable {
    enum Content: Sendable {
        case tokenEvent(InvalidTokenEvent)
        /// The items at these positions, as a message of their own for a delay queue.
        case retry(Ticket, positions: [Int], step: Int, pass: Int)
        /// The whole message under another identity: a second notification of a content without a time of its own.
        case another(Ticket, positions: [Int], identity: MessageIdentity, isCopy: Bool)
        case rejectedBody(RejectedBody)
    }

    let content: Content
    let receipt: Receipt
    /// How many parts of the receipt are settled by the confirm.
    let parts: Int
    /// It was published before and its confirm never came, so the broker may have it already.
    var mayBeThere = false
}

extension Publication {
    /// How many positions a retry's header names at the most: all headers must fit one frame of 128 KiB.
    static let positionsPerRetry = 10_000

    /// Some items of a ticket for a delay queue.
    ///
    /// - Parameters:
    ///   - ticket: the message.
    ///   - positions: of the items, ascending.
    ///   - step: the delay queue, by its position in the steps.
    ///   - pass: which pass the retry will be.
    /// - Returns: one message, or several when there are more items than one may name.
    static func retries(of ticket: Ticket, positions: [Int], step: Int, pass: Int) -> [Publication] {
        stride(from: 0, to: positions.count, by: positionsPerRetry).map { start in
            let part = Array(positions[start..<min(start + positionsPerRetry, positions.count)])
            return Publication(
                content: .retry(ticket, positions: part, step: step, pass: pass),
                receipt: ticket.receipt,
                parts: part.count
            )
        }
    }
}

extension Publication {
    /// A message under an identity of its own, straight back to the dispatchers.
    ///
    /// isCopy: its notifications may have been pushed before.
    static func another(_ ticket: Ticket, identity: MessageIdentity, isCopy: Bool) -> [Publication] {
        let count = ticket.batch.items.count
        return stride(from: 0, to: count, by: positionsPerRetry).map { start in
            let part = Array(start..<min(start + positionsPerRetry, count))
            return Publication(
                content: .another(ticket, positions: part, identity: identity, isCopy: isCopy),
                receipt: ticket.receipt,
                parts: part.count
            )
        }
    }
}

/// The mailboxes between the stages.
///
/// Their threads hand over arrays: one lock and at most one wake-up each.
struct StageMailboxes: Sendable {
    let consumer: Mailbox<ConsumerSignal>
    let logs: [Mailbox<LogTask>]
    let publisher: Mailbox<Publication>

    init(logThreads: Int) throws(ThreadError) {
        consumer = try Mailbox()
        var logs: [Mailbox<LogTask>] = []
        for _ in 0..<logThreads { logs.append(try Mailbox()) }
        self.logs = logs
        publisher = try Mailbox()
    }

    /// Counts parts as settled and tells the consumer when a message is done.
    func settle(_ receipt: Receipt, parts: Int) {
        if receipt.settle(parts) { consumer.send(.settled(receipt)) }
    }
}
