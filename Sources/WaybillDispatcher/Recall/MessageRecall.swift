import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillReceipts
import WaybillTelemetry
import WaybillThreads

/// Asks the log about messages before anything of them is sent, and hands them on: to be sent, with what was found, or back to
/// the dispatchers under an identity of their own.
///
/// *Thread:* a log thread's.
struct MessageRecall {
    private let context: PipelineContext
    private let recaller: Recaller
    private let unacknowledged: UnacknowledgedWriter
    private let store: StorePatience
    private let sendOn: @Sendable ([InFlightMessage]) -> Void

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - reader: asks the log.
    ///   - unacknowledged: takes what is to be sent again.
    ///   - store: waits where the store does not answer.
    ///   - sendOn: takes what is to be sent.
    init(
        context: PipelineContext,
        reader: DeliveryLogReader,
        unacknowledged: UnacknowledgedWriter,
        store: StorePatience,
        sendOn: @escaping @Sendable ([InFlightMessage]) -> Void
    ) {
        self.context = context
        recaller = Recaller(reader: reader)
        self.unacknowledged = unacknowledged
        self.store = store
        self.sendOn = sendOn
    }

    /// Decides about messages; waits until the store answers.
    func recall(_ messages: [InFlightMessage]) {
        var named: [InFlightMessage] = []
        for message in messages {
            let rule = RecallRule(message)
            if rule.isNameless { giveIdentity(message, isCopy: rule.isRedelivered) } else { named.append(message) }
        }
        for group in Recaller.groups(of: named) {
            guard let findings = store.untilItAnswers({ () throws(MongoError) in try recaller.findings(of: group) })
            else { return }
            let now = WallClock.milliseconds()
            sendOn(zip(group, findings).compactMap { judge($0, $1, now: now) })
        }
    }

    /// - Returns: the message as it goes on; `nil` where it goes another way.
    private func judge(_ message: InFlightMessage, _ findings: RecallFindings, now: Int64) -> InFlightMessage? {
        switch RecallRule(message).judge(youngest: findings.youngest, now: now) {
        case .own:
            let repeated = message.origin.tellsOfProducersRepeat ? findings.own.count : 0
            if repeated > 0 { context.warnOfRepeats(repeated, of: message) }
            return enter(message, findings) ? message.recalled(findings) : nil
        case .another(let isCopy):
            giveIdentity(message, isCopy: isCopy)
            return nil
        }
    }

    /// Writes down what of a message is to be sent again until it is acknowledged, before anything of it is sent.
    ///
    /// - Returns: `false` only when the process must end first.
    private func enter(_ message: InFlightMessage, _ findings: RecallFindings) -> Bool {
        guard !message.batch.repeats.isEmpty else { return true }
        let notifications = message.unacknowledged(findings)
        let refused = store.untilItAnswers(isWrite: true) { () throws(MongoError) in
            try unacknowledged.enter(notifications, now: WallClock.milliseconds())
        }
        for (first, refusal) in refused ?? [] {
            context.logger.emit(DispatchEvent.repeatRefused(first, reason: refusal.refusal))
        }
        return refused != nil
    }

    /// Sends a message back to the dispatchers under an identity of its own; it is settled by the broker's confirm.
    private func giveIdentity(_ message: InFlightMessage, isCopy: Bool) {
        let lane = message.batch.lane
        if message.isProbe { context.breakers.returnProbe(lane: lane, now: .now()) }
        context.traffic.ended(message.batch.items.count, answered: 0, lane: lane, isBulk: message.isBulk)
        context.mailboxes.publisher.send(Publication.another(message, isCopy: isCopy))
    }
}
