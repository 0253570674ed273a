import Logging
import WaybillMongo
import WaybillNotifications
import WaybillTelemetry
import WaybillThreads

/// Waits until something is inserted, or it is time to look.
///
/// Owns the decision to do without change streams: where the store has none for us, they are left alone for a while.
///
/// *Thread:* the worker's.
final class IdleWait {
    /// The longest wait for a change.
    static let patience = Duration.milliseconds(500)
    /// How long change streams are left alone that the store does not have.
    private static let pause = Duration.seconds(30)

    private let sweep: Duration
    private let broker: BrokerLink
    private let control: ScheduleControl
    private let logger: Logger
    /// No change stream is tried before.
    private var hold = MonotonicTime.now()

    init(sweep: Duration, broker: BrokerLink, control: ScheduleControl, logger: Logger) {
        self.sweep = sweep
        self.broker = broker
        self.control = control
        self.logger = logger
    }

    /// Waits, and tends the broker meanwhile.
    func wait(_ watch: PostedWatch) {
        let end = MonotonicTime.now().advanced(by: sweep)
        while !control.isStopping, .now() < end {
            // An alarm shows within seconds, and heartbeats are answered.
            control.watch.works()
            broker.tend()
            control.watch.waits()
            guard hold <= .now() else {
                NamedThread.sleep(for: min(Self.patience, end.duration(since: .now()))) { control.isStopping }
                continue
            }
            do throws(MongoError) {
                if try watch.wait() { return }
            } catch {
                hold = .now().advanced(by: Self.pause)
                logger.emit(ScheduleEvent.watchFailed(error.description, retryIn: Self.pause))
            }
        }
    }
}
