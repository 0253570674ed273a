import Logging
import WaybillAMQP
import WaybillTelemetry

/// Says whether the broker takes pages: to whoever looks all the time, and in the log once when an alarm begins, and when it is over.
///
/// *Thread:* the worker's.
final class BrokerAlarm {
    private let condition: Condition
    private let logger: Logger
    private var spell = AlarmSpell()

    init(_ condition: Condition, _ logger: Logger) {
        self.condition = condition
        self.logger = logger
    }

    func note(_ finding: ProbedPublisher.Finding) {
        switch finding {
        // Until the first answer what is known stays: mostly an alarm, or that the connection is new.
        case .unknown: break
        case .takes: condition.holds()
        case .blocked(let words): condition.fails(words)
        }
        switch spell.note(finding) {
        case .began(let words): logger.emit(FanoutEvent.brokerBlocked(words))
        case .ended(let length): logger.emit(FanoutEvent.brokerUnblocked(after: length))
        case nil: break
        }
    }
}
