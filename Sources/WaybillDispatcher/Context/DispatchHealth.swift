import WaybillTelemetry
import WaybillThreads

/// What the threads say of themselves: whether they have what they need, and whether their loops go round.
struct DispatchHealth: Sendable {
    static let logThreads = 2
    /// How often a thread with nothing to do asks its server whether it is still there.
    static let probeInterval = Duration.seconds(4)
    /// How long what a thread has last heard is believed: a server that hangs is told of within ten seconds, and one that is
    /// asked every four has six for its answer.
    private static let freshness = Duration.seconds(10)

    /// Messages are handed out: said every second at the least, so that a consumer that hangs is known soon.
    let consuming = Condition(name: "consuming", freshness: .seconds(6), cause: "not connected yet")
    /// What is published is confirmed.
    let confirms = Condition(name: "confirms", freshness: freshness, cause: "nothing confirmed yet")
    /// Writes become durable on a majority; one for each log thread.
    let store = (0..<logThreads).map { _ in
        Condition(name: "store", freshness: freshness, cause: "nothing written yet")
    }

    let consumer = LoopWatch(name: "wb-consume", patience: LoopWatch.promptPatience)
    let publisher = LoopWatch(name: "wb-events", patience: LoopWatch.promptPatience)
    let orders = LoopWatch(name: "wb-orders")
    let statistics = LoopWatch(name: "wb-stats")
    let logs = (0..<logThreads).map {
        LoopWatch(name: "wb-log-\($0)", patience: LoopWatch.promptPatience)
    }

    /// Consuming, confirms, store; the store is as good as its worst thread.
    var checks: [HealthCheck] {
        let stores = store.map { $0.check() }
        let store = stores.first { !$0.isSound } ?? stores[0]
        return [consuming.check(), confirms.check(), store]
    }
}
