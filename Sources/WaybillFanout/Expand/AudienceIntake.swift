import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillProviders

/// Reads audience messages, and holds them to what their senders may send and their lanes can.
struct AudienceIntake {
    private let settings: FanoutSettings
    private let examination: AudienceExamination

    init(settings: FanoutSettings) {
        self.settings = settings
        examination = AudienceExamination(
            lanes: settings.lanes,
            limits: settings.limits,
            retention: settings.retention,
            apps: settings.apps
        )
    }

    /// - Parameters:
    ///   - delivery: as it came.
    ///   - now: milliseconds since 1970.
    /// - Returns: the audience, as it is entered.
    /// - Throws: why nothing of it is sent.
    func read(_ delivery: AMQPDelivery, now: Int64) throws(BodyRejection) -> NewAudience {
        try BrokenText.refuse(delivery.properties)
        let message = try AudienceMessage(decoding: delivery.body)
        do throws(BodyRejection) {
            let lanes = try examination.examine(message, now: now)
            try admit(message, delivery, over: lanes)
            return NewAudience(message, body: delivery.body, publishedAt: Self.time(delivery.properties))
        } catch {
            var rejection = error
            rejection.envelope = BodyRejection.Envelope(batchID: message.id, client: message.client)
            throw rejection
        }
    }

    /// A message's own time, in milliseconds since 1970; `nil` where it has none, or one that can be none.
    private static func time(_ properties: AMQPProperties) -> Int64? {
        let seconds = properties.timestamp.flatMap { $0 < 1 << 38 ? Int64($0) : nil }
        let known = MessageProperties(
            messageID: properties.messageID,
            timestampMilliseconds: seconds.map { $0 * 1000 }
        )
        return MessageTime.milliseconds(of: known).map(Int64.init)
    }

    /// Whether the sender may send it.
    private func admit(
        _ message: AudienceMessage,
        _ delivery: AMQPDelivery,
        over lanes: [Lane]
    ) throws(BodyRejection) {
        guard let rules = settings.producers else { return }
        let properties = delivery.properties
        let sender = ProducerRules.Sender(
            user: ReplayMessage.producer(of: delivery, queues: settings.queues),
            hasMessageID: properties.messageID?.isEmpty == false,
            hasTimestamp: properties.timestamp != nil
        )
        for lane in lanes { _ = try rules.admit(sender, client: message.client, lane: lane.name) }
    }
}
