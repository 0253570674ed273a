import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillProviders

/// Reads audience messages, and holds them to what their senders may send and their lanes can.
struct AudienceIntake {
    private let settings: FanoutSettings
    private let decoder: BatchDecoder

    init(settings: FanoutSettings) {
        self.settings = settings
        decoder = BatchDecoder(limits: settings.limits, lanes: settings.lanes)
    }

    /// - Parameters:
    ///   - delivery: as it came.
    ///   - now: milliseconds since 1970.
    /// - Returns: the audience, as it is entered.
    /// - Throws: why nothing of it is sent.
    func read(_ delivery: AMQPDelivery, now: Int64) throws(BodyRejection) -> NewAudience {
        let message = try AudienceMessage(decoding: delivery.body)
        do throws(BodyRejection) {
            try examine(message, delivery.properties, now: now)
            return NewAudience(message, body: delivery.body)
        } catch {
            var rejection = error
            rejection.envelope = BodyRejection.Envelope(batchID: message.id, client: message.client)
            throw rejection
        }
    }

    private func examine(
        _ message: AudienceMessage,
        _ properties: AMQPProperties,
        now: Int64
    ) throws(BodyRejection) {
        if settings.retention.unknown == .reject, settings.retention.isUnknown(message.client) {
            throw BodyRejection(.unknownClient, "client: is none of those that the configuration names")
        }
        if let at = message.at, at > now + Int64(AudienceLimits.ahead / .milliseconds(1)) {
            throw BodyRejection(.badValue, "at: is more than 366 days ahead")
        }
        for lane in try lanes(of: message) {
            if let rules = settings.producers {
                let sender = ProducerRules.Sender(
                    user: properties.userID,
                    hasMessageID: properties.messageID?.isEmpty == false,
                    hasTimestamp: properties.timestamp != nil
                )
                _ = try rules.admit(sender, client: message.client, lane: lane.name)
            }
            try examineContent(of: message, lane)
        }
    }

    /// The lanes that its notifications may go over.
    private func lanes(of message: AudienceMessage) throws(BodyRejection) -> [Lane] {
        guard let name = message.lane else {
            return settings.lanes.filter { lane in
                switch lane.provider {
                case .apns(let rules): APNSTopic.app(of: rules.bundleID) == message.selection.app
                }
            }
        }
        guard let lane = settings.lanes.first(where: { $0.name == name }) else {
            let names = settings.lanes.map(\.name)
            throw BodyRejection(.unknownLane, "lane: \(LaneName.unknown(name, configured: names))")
        }
        return [lane]
    }

    /// Reads a message as a dispatcher would, with a token that any lane takes.
    private func examineContent(of message: AudienceMessage, _ lane: Lane) throws(BodyRejection) {
        let body = PageMaker.body(message, lane: lane.name, tokens: [String(repeating: "0", count: 64)])
        let batch: Batch
        do throws(BodyRejection) {
            batch = try decoder.decode(
                body,
                properties: MessageProperties()
            ).get()
        } catch {
            throw BodyRejection(reason: error.reason, detail: "content: \(error.detail)")
        }
        for item in batch.items {
            if case .invalid(let invalid) = item.content {
                throw BodyRejection(.badValue, "content: \(invalid.reason)")
            }
        }
    }
}
