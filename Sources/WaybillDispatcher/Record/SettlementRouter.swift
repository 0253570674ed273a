import WaybillCore
import WaybillThreads

/// Sends durable outcomes where they go next: to the ledger, or first to the confirming connection.
enum SettlementRouter {
    private struct Delay: Hashable {
        let ticket: ObjectIdentifier
        let step: Int
        let pass: Int
    }

    static func route(_ outcomes: [ItemOutcome], context: PipelineContext) {
        var publications: [Publication] = []
        var retries: [Delay: (ticket: Ticket, positions: [Int])] = [:]
        var run: (receipt: Receipt, parts: Int)?
        for outcome in outcomes {
            switch outcome.next {
            case .none:
                // Outcomes of one message mostly arrive together: count a run of them at once.
                if run?.receipt === outcome.ticket.receipt {
                    run?.parts += 1
                } else {
                    if let run { context.mailboxes.settle(run.receipt, parts: run.parts) }
                    run = (outcome.ticket.receipt, 1)
                }
            case .reportToken(let verdict):
                guard let event = TokenReport.makeEvent(for: outcome, verdict: verdict, lanes: context.lanes) else {
                    context.mailboxes.settle(outcome.ticket.receipt, parts: 1)
                    continue
                }
                publications.append(
                    Publication(content: .tokenEvent(event), receipt: outcome.ticket.receipt, parts: 1)
                )
            case .publish(let event):
                publications.append(
                    Publication(content: .tokenEvent(event), receipt: outcome.ticket.receipt, parts: 1)
                )
            case .retryLater(let step, let pass):
                let delay = Delay(ticket: ObjectIdentifier(outcome.ticket), step: step, pass: pass)
                retries[delay, default: (outcome.ticket, [])].positions.append(outcome.position)
            }
        }
        if let run { context.mailboxes.settle(run.receipt, parts: run.parts) }
        for (delay, retry) in retries {
            publications += Publication.retries(
                of: retry.ticket,
                positions: retry.positions.sorted(),
                step: delay.step,
                pass: delay.pass
            )
        }
        context.mailboxes.publisher.send(publications)
    }
}
