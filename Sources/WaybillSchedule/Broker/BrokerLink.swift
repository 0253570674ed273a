import Logging
import WaybillAMQP
import WaybillTelemetry
import WaybillThreads

/// The schedule's way to the broker: connects, keeps the connection alive, and has messages published over it.
///
/// Owns the connection, one at the most, and the pauses between attempts. Failure: what was being published is in doubt, and
/// the connection is given up; another one is tried after a growing pause, while everything else goes on. Under an alarm it is kept, since
/// it is the one that knows of it.
///
/// *Thread:* the worker's. *Blocking:* up to the time limits of a connection and of confirms.
final class BrokerLink {
    private let settings: ScheduleSettings
    private let control: ScheduleControl
    private let logger: Logger
    private var publisher: SchedulePublisher?
    private var spell = AlarmSpell()
    private var backoff = ScheduleSettings.freshBackoff
    /// No connection is tried before.
    private var hold = MonotonicTime.now()

    init(settings: ScheduleSettings, control: ScheduleControl, logger: Logger) {
        self.settings = settings
        self.control = control
        self.logger = logger
    }

    func close() { publisher?.close() }

    /// Whether there is a connection, and no alarm holds publishers back.
    var takesMessages: Bool { publisher?.isBlocked == false }

    /// Connects if there is no connection and one may be tried.
    ///
    /// - Returns: whether there is one.
    /// - Throws: what waiting does not fix, as long as the worker has never worked.
    func reach() throws(AMQPError) -> Bool {
        guard publisher == nil, hold <= .now() else { return publisher != nil }
        do throws(AMQPError) {
            publisher = try SchedulePublisher(settings.endpoint, settings.queues)
            return true
        } catch {
            if !control.isWorking, !error.isRetriable { throw error }
            lose(error)
            return false
        }
    }

    /// Answers heartbeats, connects again, and notes whether the broker takes messages.
    func tend() {
        do throws(AMQPError) {
            guard try reach() else { return }
            try publisher?.tend()
        } catch {
            return lose(error)
        }
        if let finding = publisher?.finding { note(finding) }
    }

    /// Publishes, unless an alarm keeps from it.
    ///
    /// - Parameter work: does it, and tells of an alarm that has begun meanwhile.
    /// - Returns: whether the broker has all of it; if not, it may have any of it.
    func publish(_ work: (inout SchedulePublisher, (String) -> Void) throws(AMQPError) -> Void) -> Bool {
        guard var used = publisher, !used.isBlocked else { return false }
        defer { if publisher != nil { publisher = used } }
        do throws(AMQPError) {
            try used.ask()
            guard !used.isBlocked else {
                note(used.finding)
                return false
            }
            try work(&used) { note(.blocked($0)) }
            backoff.reset()
            note(.takes)
            return true
        } catch {
            if !used.isBlocked || error.code != .publicationFailed { lose(error) }
            return false
        }
    }

    /// Says how the broker does: to whoever looks all the time, and in the log once when an alarm begins, and when it is over.
    private func note(_ finding: ProbedPublisher.Finding) {
        switch finding {
        // Until the first answer what is known stays: mostly an alarm, or that the connection is new.
        case .unknown: break
        case .takes: control.broker.holds()
        case .blocked(let words): control.broker.fails(words)
        }
        switch spell.note(finding) {
        case .began(let words): logger.emit(ScheduleEvent.brokerBlocked(words))
        case .ended(let length): logger.emit(ScheduleEvent.brokerUnblocked(after: length))
        case nil: break
        }
    }

    private func lose(_ error: AMQPError) {
        publisher?.close()
        publisher = nil
        let pause = backoff.takePause()
        hold = .now().advanced(by: pause)
        control.broker.fails(error.description, retryAt: hold)
        logger.emit(ScheduleEvent.brokerFailed(error.description, retryIn: pause))
    }
}
