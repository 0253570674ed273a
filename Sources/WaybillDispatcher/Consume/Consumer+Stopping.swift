import WaybillAMQP
import WaybillTelemetry
import WaybillThreads

/// The end: what is in flight is finished, and nothing else is begun.
extension Consumer {
    /// It wants no more messages: neither the broker nor this thread is to blame for that.
    func sayStopping() {
        let messages = admission.inFlight.messages
        context.health.consuming.fails(
            "stopping: takes no new messages, finishes \(messages == 1 ? "1 message" : "\(messages) messages") in hand"
        )
    }

    func drain() {
        let begin = MonotonicTime.now()
        context.logger.emit(DispatchEvent.draining(inFlight: admission.inFlight.notifications))
        // What was delivered and not started still has its tag, and goes back when the connection closes.
        backlogs.removeAll()
        admission.dropWaiting()
        do throws(AMQPError) { try connection.stopConsuming() } catch { lose(error) }
        let end = begin.advanced(by: context.graceTime)
        let lastCall = begin.advanced(by: context.graceTime / 2)
        var isLastCallDue = true
        while admission.inFlight.messages > 0, .now() < end {
            if isLastCallDue, lastCall <= .now() {
                isLastCallDue = false
                stopSending()
            }
            turn(patience: min(.milliseconds(200), max(.milliseconds(1), end.duration(since: .now()))))
        }
        if admission.inFlight.messages > 0 {
            context.logger.emit(DispatchEvent.graceTimeOver(inFlight: admission.inFlight.notifications))
        }
    }
}
