import Synchronization
import WaybillTelemetry
import WaybillThreads

/// What the threads of webhooks share with the rest of the process.
final class WebhookControl: Sendable {
    /// How many endpoints and events there are, as of a while ago.
    struct Sizes: Hashable, Sendable {
        var active = 0
        var disabled = 0
        var waiting = 0
    }

    private let working = Atomic<Bool>(false)
    private let totals = Guarded(WebhookCounts())
    private let counted = Guarded(Sizes())

    /// The log can be read as it is written.
    let log = Condition(name: "log", freshness: .seconds(90), cause: "nothing asked yet")
    /// What is to be told can be taken out of the store, and what came of it noted.
    let sender = Condition(name: "webhooks", freshness: .seconds(90), cause: "nothing asked yet")
    /// Receipts can be read as they are stored.
    let receipts = Condition(name: "receipts", freshness: .seconds(90), cause: "nothing asked yet")
    let receiptWatch = LoopWatch(name: "wb-webhook-receipts")
    let logWatch = LoopWatch(name: "wb-webhook-log")
    let senderWatch = LoopWatch(name: "wb-webhooks")

    /// Whether the store was found, and what is due is looked for, here or in another process.
    var isWorking: Bool {
        get { working.load(ordering: .acquiring) }
        set { working.store(newValue, ordering: .releasing) }
    }

    var sizes: Sizes {
        get { counted.withLock { $0 } }
        set { counted.withLock { $0 = newValue } }
    }

    /// What was done since the start.
    var counts: WebhookCounts { totals.withLock { $0 } }
    func add(_ change: (inout WebhookCounts) -> Void) { totals.withLock { change(&$0) } }
}
