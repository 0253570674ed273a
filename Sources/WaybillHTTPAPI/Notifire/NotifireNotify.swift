import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillNotifications
import WaybillThreads

/// Route 14 of the thesis: a service tells its people something.
struct NotifireNotify: Sendable {
    let sender: NotificationSender

    var endpoints: [NotifireEndpoint] {
        [NotifireEndpoint(method: .post, path: "/notify", answer: notify)]
    }

    /// 204: stored, and the broker has it.
    ///
    /// 200 with an error: 1 nobody's key, 2 the level is switched off, 3 too long. 503 where the broker did not confirm it in time;
    /// it may be handed over later all the same.
    private func notify(_ request: NotifireRequest) async throws -> Response {
        let body = try request.body()
        let number = Int(clamping: try body.integer("level"))
        guard let level = NotificationLevel.ordinary.first(where: { $0.rawValue == number }) else {
            throw Problem(.badRequest, "level must be 1, 2 or 3")
        }
        let content = ServiceNotification(
            level: level,
            body: try body.text("body"),
            text: try body.optionalText("text"),
            url: try body.optionalText("url")
        )
        guard !content.body.isEmpty else { throw Problem(.badRequest, "body is empty") }
        let shown = try body.text("serviceKey")
        let name = try IdempotencyField.name(request.head.headerFields[values: .idempotencyKey])
        guard let key = ServiceKey(shown: shown) else { return Self.unknownKey }
        let answer = try await sender.take(
            NotificationRequest(key: key, content: content, idempotencyKey: name),
            request.context
        )
        switch answer {
        case .stored, .sentBefore: return Response(status: .noContent)
        case .otherContent:
            throw Problem(.badRequest, "this Idempotency-Key is another notification's")
        case .unknownKey: return Self.unknownKey
        case .tooMany(let seconds): throw Problem.tooManyNotifications(seconds)
        case .levelIsOff:
            return NotifireAnswer.failure(2, "notification not sent due to user notification level settings.")
        case .tooLarge(let count):
            let most = ServiceNotification.payloadBytes
            return NotifireAnswer.failure(3, "notification not sent: it has \(count) bytes, and \(most) go to a phone.")
        case .unsendable(let rejection):
            throw Problem(.badRequest, "the notification cannot be sent: \(rejection.detail)")
        }
    }

    private static var unknownKey: Response {
        NotifireAnswer.failure(1, "notification not sent: the service key is unknown.")
    }
}
