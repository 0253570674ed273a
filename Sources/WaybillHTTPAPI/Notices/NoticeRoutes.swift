import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What services say to their people: sending with a key, and reading as one of them.
struct NoticeRoutes: Sendable {
    let parts: NoticeParts

    static let path = "/v1/notifications"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(
                method: .post,
                path: Self.path,
                members: NoticeForm.members,
                isTyped: true,
                answer: .key(send)
            ),
            PersonEndpoint(
                method: .get,
                path: Self.path,
                parameters: ["limit", "cursor", "service", "unread"],
                answer: .reader(NoticeList(parts: parts).list)
            ),
            PersonEndpoint(
                method: .get,
                path: "\(Self.path)/{notification}",
                parameters: ["include"],
                answer: .reader(NoticeList(parts: parts).show)
            ),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/read",
                members: NoticeForm.readMembers,
                answer: .person(NoticeMarks(parts: parts).readAll)
            ),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/{notification}/read",
                members: NoticeForm.markMembers,
                answer: .person { request, person in
                    try await NoticeMarks(parts: parts).note(.read, request, person)
                }
            ),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/{notification}/acknowledged",
                members: NoticeForm.markMembers,
                answer: .person { request, person in
                    try await NoticeMarks(parts: parts).note(.acknowledged, request, person)
                }
            ),
        ]
    }

    /// 202: stored with a majority, and the broker has it.
    ///
    /// 403 without the scope, and for a test key where no lane is for these; 409 while the same request is being answered;
    /// 413 for a payload that no phone takes; 422 for a name of another body; 429 for too many.
    private func send(_ request: PersonRequest, _ grant: ServiceGrant) async throws -> Response {
        guard let body = request.object else { throw Problem(.badRequest, "the body is no JSON object") }
        guard let sender = parts.sender else { throw NoticeParts.notConfigured }
        let content = try NoticeForm.content(body, now: WallClock.milliseconds())
        let scope: ServiceKeyScope = content.level == .critical ? .notifyCritical : .notify
        guard grant.scopes.contains(scope) else {
            throw Problem(.forbidden, "this key has not the scope \(scope.rawValue)")
        }
        let name = try IdempotencyField.name(request.head.head.headerFields[values: .idempotencyKey])
        let order = NotificationOrder(
            grant: grant,
            content: content,
            name: name.map {
                IdempotencyName($0, key: grant.keyID, request: "POST \(Self.path)", body: body.bytes)
            }
        )
        switch try await sender.take(order, request.context) {
        case .stored(let notification, let isRepeat):
            return Self.accepted(notification.id, notification.reach, isRepeat: isRepeat)
        case .sentBefore(let id, let reach): return Self.accepted(id, reach, isRepeat: true)
        case .inProgress(let seconds):
            throw Problem(.conflict, "the request of this Idempotency-Key is being answered; come again later")
                .with(.retryAfter, "\(seconds)")
        case .otherContent:
            throw Problem(.unprocessableContent, "this Idempotency-Key is another request's, with another body")
        case .silent: throw Problem(.forbidden, "this service is suspended, or its owner's account is")
        case .tooMany(let seconds): throw Problem.tooManyNotifications(seconds)
        case .noTestLane:
            // Nothing that is asked again, nor another body, changes it: who runs the server does.
            throw Problem(
                .forbidden,
                "this server has no lane for test keys: its configuration has no serve.accounts.services.test_lane"
            )
        case .unsendable(let rejection):
            // Of the members, data alone can be nested.
            let isNested = rejection.reason == BodyRejection.Reason.tooDeep.rawValue
            throw isNested
                ? Problem.field("data", "data is nested too deeply: \(rejection.detail) of the push")
                : Problem(.badRequest, "the notification cannot be sent: \(rejection.detail)")
        case .tooLarge(let count):
            let most = ServiceNotification.payloadBytes
            throw Problem(
                .contentTooLarge,
                "the payload has \(count) bytes, and \(most) go to a phone: \(count - most) are too many"
            )
        }
    }

    /// The same for a repeat, but for the mark.
    private static func accepted(_ id: String, _ reach: NotificationReach, isRepeat: Bool) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", id)
        json.member("recipients", reach.recipients)
        json.member("devices", reach.devices)
        if reach.recipients == 0 {
            json.member("detail", "no recipient: each person's levels, mute or quiet hours keep it back")
        } else if reach.devices == 0 {
            json.member("detail", "no device: no recipient is logged in on a phone that this server reaches")
        }
        json.endObject()
        var response = Response.json(json.bytes, status: .accepted)
        response.headers[.location] = "\(path)/\(id)"
        if isRepeat { response.headers[.idempotencyReplayed] = "true" }
        return response
    }
}
