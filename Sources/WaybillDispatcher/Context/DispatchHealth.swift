import WaybillTelemetry
import WaybillThreads

/// What the threads say of themselves: whether they have what they need, and whether their loops go round.
struct DispatchHealth: Sendable {
    static let logThreads = 2
    /// How often a thread with nothing to do asks its server whether it is still there.
    static let probeInterval = Duration.seconds(5)
    /// How long what a thread has last heard is believed.
    private static let freshness = Duration.seconds(20)

    /// Messages are handed out.
    let consuming = Condition(name: "consuming", freshness: freshness, cause: "not connected yet")
    /// What is published is confirmed.
    let confirms = Condition(name: "confirms", freshness: freshness, cause: "nothing confirmed yet")
    /// Writes become durable on a majority; one for each log thread.
    let store = (0..<logThreads).map { _ in
        Condition(name: "store", freshness: freshness, cause: "nothing written yet")
    }

    let consumer = LoopWatch(name: "wb-consume")
    let publisher = LoopWatch(name: "wb-events")
    let orders = LoopWatch(name: "wb-orders")
    let statistics = LoopWatch(name: "wb-stats")
    let logs = (0..<logThreads).map { LoopWatch(name: "wb-log-\($0)") }

    /// Consuming, confirms, store; the store is as good as its worst thread.
    var checks: [HealthCheck] {
        let stores = store.map { $0.check() }
        let store = stores.first { !$0.isSound } ?? stores[0]
        return [consuming.check(), confirms.check(), store]
    }
}
