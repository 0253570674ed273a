import WaybillAMQP
import WaybillMessages
import WaybillNotifications

/// Hands messages over as any producer does: to the exchange, waits until the broker has all of them, and knows how the broker does.
///
/// *Thread:* the worker's.
struct SchedulePublisher {
    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)
    /// How long an alarm may keep them away: whatever else there is to do waits meanwhile.
    private static let alarmPatience = Duration.seconds(5)
    /// How long the broker may take to say whether it takes messages.
    private static let answerPatience = Duration.seconds(2)

    private var publisher: ProbedPublisher
    private let queues: QueueNames
    private let user: String

    init(_ endpoint: AMQPEndpoint, _ queues: QueueNames) throws(AMQPError) {
        // No queue is bound to it by an empty key.
        publisher = try ProbedPublisher(endpoint, exchange: queues.exchange)
        self.queues = queues
        user = endpoint.user
    }

    func close() { publisher.close() }

    var finding: ProbedPublisher.Finding { publisher.finding }

    /// Whether an alarm holds publishers back: nothing is to be published until it ends.
    var isBlocked: Bool { if case .blocked = finding { true } else { false } }

    /// Asks the broker whether it takes messages now.
    mutating func ask() throws(AMQPError) { try publisher.ask(patience: Self.answerPatience) }

    /// Answers the broker's heartbeats.
    mutating func tend() throws(AMQPError) { try publisher.tend() }

    /// - Parameters:
    ///   - claimed: which.
    ///   - alarm: told of one that has begun meanwhile.
    ///   - areWanted: asked while the broker says nothing: whether all of them are still to be sent.
    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    mutating func publish(
        _ claimed: [PostedStore.Claimed],
        alarm: (String) -> Void,
        areWanted: () -> Bool
    ) throws(AMQPError) {
        let publications = claimed.map { one in
            AMQPPublication(
                exchange: queues.exchange,
                routingKey: queues.audience,
                properties: properties(one.audience, seconds: one.claimedAt / 1000),
                body: one.body
            )
        }
        try publish(publications, alarm, areWanted)
    }

    /// What nobody has acknowledged, once more.
    mutating func publish(_ repeats: [RepeatMessage], alarm: (String) -> Void) throws(AMQPError) {
        try publish(repeats.map { $0.publication(to: queues) }, alarm)
    }

    /// What a service said, as who stored it would have published it: a dispatcher derives the ids of the pushes from name,
    /// time and body.
    mutating func publish(_ notification: StoredNotification, alarm: (String) -> Void) throws(AMQPError) {
        try publish(notification.publications(to: queues, user: user), alarm)
    }

    private mutating func publish(
        _ publications: [AMQPPublication],
        _ alarm: (String) -> Void,
        _ goesOn: () -> Bool = { true }
    ) throws(AMQPError) {
        try publisher.publish(
            publications,
            patience: Self.patience,
            alarmPatience: Self.alarmPatience,
            alarm: alarm,
            goesOn: goesOn
        )
    }

    private func properties(_ name: String, seconds: Int64) -> AMQPProperties {
        DispatchMessage.properties(messageID: name, timestamp: seconds, appID: "waybill", user: user)
    }
}
