import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations
import WaybillSettings
import WaybillThreads

/// Publishes messages and waits until the broker has taken each of them.
///
/// Many are under way at a time. The first one that the broker returns or refuses ends the whole, as do a lost connection
/// and Ctrl-C: its neighbours may have been taken, and the report says how many were.
struct ConfirmedPublisher {
    /// Messages under way: enough to hide the broker's fsync, few enough to keep its memory small.
    private static let window = 256

    let broker: BrokerSettings
    let rate: SendRate?
    let showsProgress: Bool

    /// Publishes all messages, in order.
    ///
    /// - Throws: what keeps it from publishing anything at all; what happens later is in the report.
    func publish(_ messages: [OutgoingMessage], run: SendRun) throws -> PublishReport {
        let endpoint = try broker.endpoint(for: "send")
        let interrupt = AMQPInterrupt()
        let connection = try AMQPConnection.open(endpoint, interrupt: interrupt)
        defer { connection.close() }
        try connection.enableConfirms()
        Interruption.install()
        let silence = BrokerSilence(of: "\(endpoint)", interrupt)
        try silence.watch()
        defer { silence.end() }

        let total = messages.reduce(0) { $0 + max(1, $1.count) }
        var bar = ProgressBar("notifications", total: total, isShown: showsProgress)
        var progress = SendProgress()
        var report = PublishReport()
        let start = MonotonicTime.now()
        do {
            try publish(messages, run, connection, endpoint, silence, &progress, &bar)
            if Interruption.isAsked, progress.confirmedMessages < messages.count {
                report.failure = Interruption.failure()
            }
        } catch {
            report.failure = silence.failure ?? error
        }
        bar.finish()
        report.elapsed = MonotonicTime.now().duration(since: start)
        report.confirmed = progress.confirmedMessages
        report.leading = progress.leading
        report.open = progress.open
        return report
    }

    private func publish(
        _ messages: [OutgoingMessage],
        _ run: SendRun,
        _ connection: AMQPConnection,
        _ endpoint: AMQPEndpoint,
        _ silence: BrokerSilence,
        _ progress: inout SendProgress,
        _ bar: inout ProgressBar
    ) throws {
        let queues = broker.queues
        let start = MonotonicTime.now()
        for message in messages {
            let due = rate?.due(after: progress.published, since: start) ?? start
            while !Interruption.isAsked,
                progress.open >= Self.window || connection.isBlocked || MonotonicTime.now() < due
            {
                try turn(
                    connection,
                    endpoint,
                    silence,
                    &progress,
                    until: progress.open < Self.window && !connection.isBlocked ? due : nil
                )
                bar.update(progress.confirmed)
            }
            if Interruption.isAsked { break }
            let tag = try connection.publish(
                exchange: queues.exchange,
                routingKey: queues.dispatch(for: message.body),
                properties: Self.properties(of: message, run, user: endpoint.user),
                body: message.body
            )
            progress.add(tag, weight: max(1, message.count))
            silence.note(progress, isBlocked: connection.isBlocked)
            while let event = try connection.nextEvent(timeout: .zero) { try progress.take(event) }
            bar.update(progress.confirmed)
        }
        var deadline: MonotonicTime?
        while progress.open > 0 {
            if Interruption.isAsked, deadline == nil { deadline = .now().advanced(by: Interruption.lastPatience) }
            if let deadline, MonotonicTime.now() >= deadline { return }
            try turn(connection, endpoint, silence, &progress, until: nil)
            bar.update(progress.confirmed)
        }
    }

    /// Waits for one event of the broker, or until a time comes.
    private func turn(
        _ connection: AMQPConnection,
        _ endpoint: AMQPEndpoint,
        _ silence: BrokerSilence,
        _ progress: inout SendProgress,
        until due: MonotonicTime?
    ) throws {
        silence.note(progress, isBlocked: connection.isBlocked)
        let now = MonotonicTime.now()
        let wait = due.map { max(.zero, $0.duration(since: now)) } ?? BrokerSilence.patience
        guard let event = try connection.nextEvent(timeout: min(wait, Interruption.turn)) else {
            if due == nil, progress.open > 0, !connection.isBlocked,
                now.duration(since: progress.lastProgress) > BrokerSilence.patience
            {
                throw BrokerSilence.failure(of: "\(endpoint)", open: progress.open)
            }
            return
        }
        try progress.take(event)
    }

    /// The same for every run with the same values: a dispatcher derives the ids from them.
    ///
    /// With the name of the user who publishes, which the broker compares with its own: a dispatcher holds him to the lists
    /// of `producers`, and takes nothing without a name where these are strict.
    static func properties(of message: OutgoingMessage, _ run: SendRun, user: String) -> AMQPProperties {
        DispatchMessage.properties(messageID: message.id, timestamp: run.time, appID: "waybill", user: user)
    }
}
