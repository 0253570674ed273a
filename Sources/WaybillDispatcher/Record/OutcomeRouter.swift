import WaybillCore
import WaybillThreads

/// Sends durable outcomes where they go next: to be settled, or first to the confirming connection.
package enum OutcomeRouter {
    private struct Delay: Hashable {
        let message: ObjectIdentifier
        let step: Int
        let pass: Int
        let wait: LaneWait.Reason?

        init(_ message: InFlightMessage, _ retry: ItemOutcome.Retry) {
            self.message = ObjectIdentifier(message)
            step = retry.step
            pass = retry.pass.number
            wait = retry.wait
        }
    }

    package static func route(_ outcomes: [ItemOutcome], context: PipelineContext) {
        var publications: [Publication] = []
        var retries: [Delay: (message: InFlightMessage, positions: [Int], since: Int64)] = [:]
        var run = SettledRun()
        for outcome in outcomes {
            switch outcome.next {
            case .none: run.add(outcome, to: context.mailboxes.consumer)
            case .reportToken(let verdict):
                guard let event = TokenReport.makeEvent(for: outcome, verdict: verdict, lanes: context.lanes) else {
                    run.add(outcome, to: context.mailboxes.consumer)
                    continue
                }
                publications.append(Self.publication(of: event, outcome))
            case .publish(let event): publications.append(Self.publication(of: event, outcome))
            case .retryLater(let next):
                let delay = Delay(outcome.message, next)
                var retry = retries[delay] ?? (outcome.message, [], outcome.date)
                retry.positions.append(outcome.position)
                // Since then all of them have waited.
                retry.since = max(retry.since, outcome.date)
                retries[delay] = retry
            }
        }
        run.end(in: context.mailboxes.consumer)
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

    private static func publication(of event: InvalidTokenEvent, _ outcome: ItemOutcome) -> Publication {
        Publication(content: .tokenEvent(event), finalizer: outcome.message.finalizer, positions: [outcome.position])
    }

    /// Outcomes of one message mostly arrive together: they are counted at once.
    private struct SettledRun {
        private var finalizer: Finalizer?
        private var parts = 0
        private var positions: [Int] = []

        mutating func add(_ outcome: ItemOutcome, to consumer: Mailbox<ConsumerSignal>) {
            if outcome.message.finalizer !== finalizer {
                end(in: consumer)
                finalizer = outcome.message.finalizer
                parts = 0
                positions.removeAll(keepingCapacity: true)
            }
            parts += 1
            // A message of one has no part that could be settled before the others.
            if outcome.message.finalizer.itemCount > 1 { positions.append(outcome.position) }
        }

        func end(in consumer: Mailbox<ConsumerSignal>) {
            if let finalizer { consumer.settle(finalizer, parts: parts, positions: positions) }
        }
    }
}
