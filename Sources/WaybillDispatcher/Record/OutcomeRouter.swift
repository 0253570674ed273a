import WaybillCore
import WaybillThreads

/// Sends durable outcomes where they go next: to be settled, or first to the confirming connection.
package enum OutcomeRouter {
    private struct Delay: Hashable {
        let message: ObjectIdentifier
        let step: Int
        let pass: Int
        let wait: LaneWait.Reason?
    }

    package static func route(_ outcomes: [ItemOutcome], context: PipelineContext) {
        var publications: [Publication] = []
        var retries: [Delay: (message: InFlightMessage, positions: [Int], since: Int64)] = [:]
        var run: (finalizer: Finalizer, parts: Int)?
        for outcome in outcomes {
            switch outcome.next {
            case .none:
                // Outcomes of one message mostly arrive together: count a run of them at once.
                if run?.finalizer === outcome.message.finalizer {
                    run?.parts += 1
                } else {
                    if let run { context.mailboxes.consumer.settle(run.finalizer, parts: run.parts) }
                    run = (outcome.message.finalizer, 1)
                }
            case .reportToken(let verdict):
                guard let event = TokenReport.makeEvent(for: outcome, verdict: verdict, lanes: context.lanes) else {
                    context.mailboxes.consumer.settle(outcome.message.finalizer, parts: 1)
                    continue
                }
                publications.append(
                    Publication(content: .tokenEvent(event), finalizer: outcome.message.finalizer, parts: 1)
                )
            case .publish(let event):
                publications.append(
                    Publication(content: .tokenEvent(event), finalizer: outcome.message.finalizer, parts: 1)
                )
            case .retryLater(let step, let pass, let wait):
                let delay = Delay(message: ObjectIdentifier(outcome.message), step: step, pass: pass, wait: wait)
                var retry = retries[delay] ?? (outcome.message, [], outcome.date)
                retry.positions.append(outcome.position)
                // Since then all of them have waited.
                retry.since = max(retry.since, outcome.date)
                retries[delay] = retry
            }
        }
        if let run { context.mailboxes.consumer.settle(run.finalizer, parts: run.parts) }
        for (delay, retry) in retries {
            publications += Publication.retries(
                of: retry.message,
                positions: retry.positions.sorted(),
                step: delay.step,
                pass: delay.pass,
                wait: delay.wait.map { LaneWait($0, from: retry.since) }
            )
        }
        context.mailboxes.publisher.send(publications)
    }
}
