import Logging
import WaybillDispatcher
import WaybillFanout
import WaybillHooks
import WaybillPrune
import WaybillSchedule
import WaybillTelemetry

/// Work that another one like it can take over: both may run at the same time.
protocol ReplaceableWorker: ObservedWork {
    /// Returns when it has been stopped and has drained.
    func run() async throws
    /// Asks for an end; from any thread, and more than once.
    func stop()
    /// Goes on with what the one has seen that it shall take over from; before it runs.
    func inherit(from last: Self)
    /// Says that it has taken over from the one before it.
    func announce()
    /// Whether it takes its work, or has taken some: from then on it can do without the one before it.
    var isConsuming: Bool { get }
}

extension ReplaceableWorker {
    /// Nothing is seen that another one would not see as soon.
    func inherit(from last: Self) {}
}

extension DispatchService: ReplaceableWorker {}
extension PruneService: ReplaceableWorker {
    /// It says itself when it begins to consume.
    func announce() {}
}
extension FanoutService: ReplaceableWorker {
    /// It says itself when it begins to consume.
    func announce() {}
}

extension ScheduleService: ReplaceableWorker {
    /// It says itself when it begins to work.
    func announce() {}
}

extension HooksService: ReplaceableWorker {
    /// It says itself when it begins to work.
    func announce() {}
}

/// A worker made from the configuration as it was at one moment, with its logger.
struct PreparedWorker<Worker: ReplaceableWorker>: Sendable {
    let worker: Worker
    let logger: Logger
}
