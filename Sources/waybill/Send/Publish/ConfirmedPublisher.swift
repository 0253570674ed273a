import AMQP
import Settings
import Threads
import Topology

/// Publishes messages and waits until the broker has taken each of them.
///
/// Many are under way at a time. The first one that the broker returns or refuses ends the whole: its neighbours may have
/// been taken, and the error says how many were.
struct ConfirmedPublisher {
    struct Outcome {
        /// From the first publication to the last confirmation.
        let elapsed: Duration
    }

    /// Messages under way: enough to hide the broker's fsync, few enough to keep its memory small.
    private static let window = 256
    /// Silence of the broker that counts as a failure.
    private static let patience = Duration.seconds(30)

    let broker: BrokerSettings
    let rate: SendRate?
    let showsProgress: Bool

    /// Publishes all messages, in order.
    func publish(_ messages: [OutgoingMessage]) throws -> Outcome {
        let queues = broker.queues
        let connection = try AMQPConnection.open(try broker.endpoint(for: "send"))
        defer { connection.close() }
        try connection.enableConfirms()

        let total = messages.reduce(0) { $0 + max(1, $1.count) }
        var bar = ProgressBar("notifications", total: total, isShown: showsProgress)
        var ledger = ConfirmLedger()
        let start = MonotonicTime.now()
        do {
            for message in messages {
                let due = rate?.due(after: ledger.published, since: start) ?? start
                while ledger.open >= Self.window || connection.isBlocked || MonotonicTime.now() < due {
                    try turn(connection, &ledger, until: ledger.open < Self.window && !connection.isBlocked ? due : nil)
                    bar.update(ledger.confirmed)
                }
                let tag = try connection.publish(
                    exchange: queues.exchange,
                    routingKey: queues.dispatch(for: message.body),
                    properties: properties(),
                    body: message.body
                )
                ledger.add(tag, weight: max(1, message.count))
                while let event = try connection.nextEvent(timeout: .zero) { try ledger.take(event) }
                bar.update(ledger.confirmed)
            }
            while ledger.open > 0 {
                try turn(connection, &ledger, until: nil)
                bar.update(ledger.confirmed)
            }
        } catch {
            bar.finish()
            Terminal.say(
                "waybill send: \(ledger.confirmedMessages) of \(messages.count) message(s) were confirmed, "
                    + "\(ledger.open) more may have arrived"
            )
            throw error
        }
        bar.finish()
        return Outcome(elapsed: MonotonicTime.now().duration(since: start))
    }

    /// Waits for one event of the broker, or until a time comes.
    private func turn(_ connection: AMQPConnection, _ ledger: inout ConfirmLedger, until due: MonotonicTime?) throws {
        let now = MonotonicTime.now()
        let wait = due.map { max(.zero, $0.duration(since: now)) } ?? Self.patience
        // Short turns keep the heartbeats going while nothing happens.
        guard let event = try connection.nextEvent(timeout: min(wait, .seconds(1))) else {
            if due == nil, ledger.open > 0, !connection.isBlocked,
                now.duration(since: ledger.lastProgress) > Self.patience
            {
                throw CommandFailure(
                    .unavailable,
                    "the broker has confirmed nothing for \(DurationText.text(Self.patience))"
                )
            }
            return
        }
        try ledger.take(event)
    }

    private func properties() -> AMQPProperties {
        let now = WallClock.milliseconds()
        return AMQPProperties(
            contentType: "application/json",
            messageID: MessageID.make(milliseconds: now),
            appID: "waybill",
            timestamp: UInt64(now / 1000),
            isPersistent: true
        )
    }
}
