package import WaybillThreads

/// What a log thread is asked to do.
package enum LogTask: Sendable {
    case write([ItemOutcome])
    /// Look up what is already recorded of a message's items, then hand it on to be sent.
    case recall(InFlightMessage)
    /// Note at a service's notification that its message is rejected, then pass the message on to be published.
    case reject(Publication)
}

/// The mailboxes between the stages.
///
/// Their threads hand over arrays: one lock and at most one wake-up each.
package struct Mailboxes: Sendable {
    package let consumer: Mailbox<ConsumerSignal>
    package let logs: [Mailbox<LogTask>]
    let publisher: Mailbox<Publication>
    /// These say that it is time to end.
    let orders: Mailbox<Void>
    let statistics: Mailbox<Void>

    init(logThreads: Int) throws(ThreadError) {
        consumer = try Mailbox()
        var logs: [Mailbox<LogTask>] = []
        for _ in 0..<logThreads { logs.append(try Mailbox()) }
        self.logs = logs
        publisher = try Mailbox()
        orders = try Mailbox()
        statistics = try Mailbox()
    }
}
