import WaybillAMQP
import WaybillMessages
import WaybillOperations
import WaybillSettings
import WaybillTLS
import WaybillThreads

/// Publishes one audience message as any producer would: to the exchange, and waits until the broker has it.
enum AudiencePublisher {
    private static let patience = Duration.seconds(30)

    /// Names the message where it is rejected: each audience of each client by a name of its own.
    ///
    /// - Returns: client and audience; a digest of them where they are longer than AMQP lets a message-id be.
    static func messageID(of audience: AudienceMessage) -> String {
        let name = "\(audience.client)/\(audience.id)"
        guard name.utf8.count > longestMessageID else { return name }
        return "audience-" + SHA256Hasher.digest(of: Array(name.utf8)).hexadecimal
    }

    private static let longestMessageID = 255

    /// Publishes, and waits for the broker's confirm.
    ///
    /// - Throws: also ``Interruption/failure(_:)`` with what became of it, when a signal comes.
    static func publish(_ audience: AudienceMessage, body: [UInt8], broker: BrokerSettings) throws {
        let endpoint = try broker.endpoint(for: "audience")
        let connection = try open(endpoint)
        defer { connection.close() }
        try connection.enableConfirms()
        guard !Interruption.isAsked else { throw Interruption.failure(InterruptedAudience.unpublished) }
        let queue = broker.queues.audience
        let tag = try connection.publish(
            exchange: broker.queues.exchange,
            routingKey: queue,
            mandatory: true,
            properties: DispatchMessage.properties(
                messageID: messageID(of: audience),
                timestamp: WallClock.milliseconds() / 1000,
                appID: "waybill",
                user: endpoint.user
            ),
            body: body
        )
        var alarm: String?
        var end = MonotonicTime.now().advanced(by: patience)
        var isInterrupted = false
        while case let left = end.duration(since: .now()), left > .zero {
            if Interruption.isAsked, !isInterrupted {
                isInterrupted = true
                // While an alarm lasts, nothing is confirmed.
                let last = alarm == nil ? Interruption.lastPatience : .zero
                end = min(end, MonotonicTime.now().advanced(by: last))
            }
            guard let event = try connection.nextEvent(timeout: min(left, Interruption.turn)) else { continue }
            switch event {
            case .confirmed(let confirmed, _) where confirmed >= tag: return
            case .refused: throw CommandFailure(.temporary, "the broker refuses the message")
            case .returned: throw CommandFailure(.configuration, "\(queue) is missing; declare it with: waybill init")
            case .channelClosed(let error): throw error
            case .blocked(let reason):
                alarm = reason
                Terminal.say("waybill audience: \(BrokerAlarmText.waiting(reason))")
            case .unblocked:
                alarm = nil
                Terminal.say("waybill audience: \(BrokerAlarmText.over)")
            case .confirmed, .delivery, .consumerCancelled: break
            }
        }
        guard !isInterrupted else {
            throw Interruption.failure(InterruptedAudience.unconfirmed(audience, alarm: alarm))
        }
        throw CommandFailure(.temporary, "30 s are over: \(InterruptedAudience.unconfirmed(audience, alarm: alarm))")
    }

    private static func open(_ endpoint: AMQPEndpoint) throws -> AMQPConnection {
        do {
            return try AMQPConnection.open(endpoint)
        } catch {
            guard Interruption.isAsked else { throw error }
            throw Interruption.failure(InterruptedAudience.unpublished)
        }
    }
}
