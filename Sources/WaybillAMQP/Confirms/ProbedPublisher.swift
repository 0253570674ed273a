/// Publishes now and then, and knows all the while whether the broker takes messages.
///
/// A broker with an alarm says so only to who publishes: so a message to nobody is published every few seconds, which the broker
/// drops, and confirms unless it takes nothing at all.
///
/// *Thread:* the connection's.
package struct ProbedPublisher {
    /// What is known of the broker.
    package enum Finding: Hashable, Sendable {
        /// Nothing was confirmed yet.
        case unknown
        case takes
        /// In words, for a person.
        case blocked(String)
    }

    /// Longer between two questions, and whoever looks is told too late.
    private static let interval = Duration.seconds(4)

    private let connection: AMQPConnection
    private let exchange: String
    /// The sequence number of the question that is open.
    private var probe: UInt64?
    private var nextProbe = ContinuousClock.now
    package private(set) var finding = Finding.unknown

    /// Connects.
    ///
    /// - Parameters:
    ///   - endpoint: where.
    ///   - exchange: one that this user may write to, and that leads nowhere by an empty routing key.
    /// - Throws: what keeps from connecting.
    package init(_ endpoint: AMQPEndpoint, exchange: String = "") throws(AMQPError) {
        connection = try AMQPConnection.open(endpoint)
        self.exchange = exchange
        do throws(AMQPError) {
            try connection.enableConfirms()
        } catch {
            connection.close()
            throw error
        }
    }

    package func close() { connection.close() }

    /// How many messages wait in a queue.
    package func depth(of queue: String) throws(AMQPError) -> Int { try connection.inspectQueue(queue).messages }

    /// Answers heartbeats, and asks whether the broker takes messages; to be called several times a second.
    ///
    /// - Throws: what ends the connection or its channel.
    package mutating func tend() throws(AMQPError) {
        while let event = try connection.nextEvent(timeout: .zero) { try note(event) }
        try askNowAndThen()
    }

    /// Asks whether the broker takes messages now, and waits for the answer: so nothing is published into an alarm that nobody knows of yet,
    /// where writing alone may take a minute.
    ///
    /// - Parameter patience: how long the answer may take; without one the finding is ``Finding/unknown``.
    /// - Throws: what ends the connection or its channel.
    package mutating func ask(patience: Duration) throws(AMQPError) {
        let end = ContinuousClock.now + patience
        if finding == .takes { finding = .unknown }
        // The answer to an earlier question may be as old as that.
        probe = nil
        nextProbe = .now
        try tend()
        while finding == .unknown, case let left = end - .now, left > .zero,
            let event = try connection.nextEvent(timeout: left)
        {
            try note(event)
        }
    }

    private mutating func note(_ event: AMQPEvent) throws(AMQPError) {
        switch event {
        case .confirmed(let tag, _), .refused(let tag, _):
            guard let sent = probe, sent <= tag else { break }
            probe = nil
            if !connection.isBlocked { finding = .takes }
        case .blocked(let reason): finding = .blocked(Self.words(reason))
        case .unblocked:
            // Whether that is so shows the next confirm.
            finding = .unknown
            nextProbe = .now
        case .channelClosed(let error): throw error
        case .delivery, .consumerCancelled, .returned: break
        }
    }

    private mutating func askNowAndThen() throws(AMQPError) {
        guard !connection.isBlocked, probe == nil, nextProbe <= .now else { return }
        probe = try connection.publish(
            exchange: exchange,
            routingKey: "",
            mandatory: false,
            properties: AMQPProperties(),
            body: []
        )
        nextProbe = ContinuousClock.now + Self.interval
    }

    /// Publishes messages and waits until the broker has all of them.
    ///
    /// - Parameters:
    ///   - publications: what goes where.
    ///   - patience: how long the confirms of all of them may take.
    ///   - alarmPatience: how long an alarm of the broker may keep them away, if not as long as that.
    ///   - alarm: told in words, while it waits, that an alarm of the broker has begun.
    ///   - goesOn: asked every second in which the broker says nothing; with `false` nothing more is waited for.
    /// - Throws: when one of them is not known to be with the broker; any of them may be. The connection is as good as before where the error does
    ///   not close it.
    package mutating func publish(
        _ publications: [AMQPPublication],
        patience: Duration,
        alarmPatience: Duration? = nil,
        alarm: (String) -> Void,
        goesOn: () -> Bool = { true }
    ) throws(AMQPError) {
        var words: String?
        var alarmEnd: ContinuousClock.Instant?
        defer { if let words { finding = .blocked(words) } }
        try connection.publishConfirmed(
            publications,
            patience: patience,
            alarm: { reason in
                words = reason.map(Self.words)
                alarmEnd = words == nil ? nil : alarmPatience.map { .now + $0 }
                if let words { alarm(words) }
            },
            goesOn: { goesOn() && alarmEnd.map { .now < $0 } ?? true }
        )
        // The broker confirms in order, the question before them, too.
        probe = nil
        finding = .takes
    }

    private static func words(_ reason: String) -> String {
        "an alarm of the broker (\(reason)) blocks whoever publishes, producers too; see rabbitmqctl status"
    }
}
