import Synchronization
import WaybillTelemetry
import WaybillThreads

/// What the threads share with the rest of the process.
package final class HooksControl: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let working = Atomic<Bool>(false)
    private let waitingMails = Atomic<Int>(0)
    private let totals = Guarded(MailCounts())

    /// Writes become durable on a majority.
    let store = Condition(name: "store", freshness: .seconds(90), cause: "nothing asked yet")
    /// The mail server takes mail, as far as the last attempt tells.
    let mail = Condition(name: "mail", freshness: .seconds(900), cause: "not tried yet")
    let watch = LoopWatch(name: "wb-mail")

    /// What concerns webhooks alone.
    let webhooks = WebhookControl()

    package init() {}

    /// Whether the worker should finish what it has and end.
    package var isStopping: Bool { stopping.load(ordering: .acquiring) }
    package func stop() { stopping.store(true, ordering: .releasing) }

    /// Whether mail that is due is looked for.
    package internal(set) var isWorking: Bool {
        get { working.load(ordering: .acquiring) }
        set { working.store(newValue, ordering: .releasing) }
    }

    /// Mails that wait in the outbox, as of a while ago.
    var waiting: Int {
        get { waitingMails.load(ordering: .relaxed) }
        set { waitingMails.store(newValue, ordering: .relaxed) }
    }

    /// What was done since the start.
    package var counts: MailCounts { totals.withLock { $0 } }
    func add(_ change: (inout MailCounts) -> Void) { totals.withLock { change(&$0) } }
}
