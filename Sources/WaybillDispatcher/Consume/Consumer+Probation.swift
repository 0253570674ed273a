import WaybillAMQP
import WaybillThreads

/// The slow start: one message at a time from one queue after the other, as ``PrefetchPlan`` has it.
extension Consumer {
    private static let probationPatience = Duration.seconds(3)

    private var isOnProbation: Bool { connection.isConsuming && admission.prefetch.isOnProbation && !isStopping }

    private var isIdle: Bool { admission.inFlight.messages == 0 && backlogs.isEmpty }

    /// Goes on to the next queue when what had to pass alone has passed, or went to another dispatcher.
    func leaveEmptyQueue() {
        guard isOnProbation, isIdle else { return }
        do throws(AMQPError) {
            let isEmpty = try connection.isReadingEmptyQueue(admission.prefetch)
            // The last of them may have come along with the broker's answer.
            takeDeliveries()
            if isEmpty, isIdle { consumeAnew() }
        } catch {
            lose(error)
        }
    }

    /// Takes the next message although the last one is not settled, when that takes long.
    ///
    /// Poison shows when a message is read and started, and that is long over: what takes long waits for the provider, and
    /// the lanes of others must not wait with it.
    func widenProbation() {
        guard isOnProbation, admission.inFlight.messages > 0, backlogs.isEmpty,
            lastDelivery.advanced(by: Self.probationPatience) <= .now()
        else { return }
        lastDelivery = .now()
        consumeAnew()
    }
}
