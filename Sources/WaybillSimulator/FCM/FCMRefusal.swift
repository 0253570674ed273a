import WaybillEncoding

/// The answers of FCM that are no success, as its pages and its users have shown them.
///
/// The simulator's own copy, made without regard to the client's.
package enum FCMRefusal: String, CaseIterable, Sendable {
    case invalidToken = "INVALID_TOKEN"
    case invalidArgument = "INVALID_ARGUMENT"
    case unregistered = "UNREGISTERED"
    case notFound = "NOT_FOUND"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case permissionDenied = "PERMISSION_DENIED"
    case serviceDisabled = "SERVICE_DISABLED"
    case scopeInsufficient = "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    case tokenExpired = "ACCESS_TOKEN_EXPIRED"
    case credentialsMissing = "CREDENTIALS_MISSING"
    case unauthenticated = "UNAUTHENTICATED"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case deviceQuotaExceeded = "DEVICE_QUOTA_EXCEEDED"
    case topicQuotaExceeded = "TOPIC_QUOTA_EXCEEDED"
    case projectQuotaExceeded = "PROJECT_QUOTA_EXCEEDED"
    case internalError = "INTERNAL"
    case unavailable = "UNAVAILABLE"
    case unspecified = "UNSPECIFIED_ERROR"
    case badGateway = "HTML_502"
    case gatewayTimeout = "HTML_504"
    case wrongPath = "HTML_404"

    /// The HTTP status.
    package var status: Int { content.status }

    /// The answer, complete.
    package func answer(_ form: FCMErrorForm = .usual) -> SimulatorAnswer {
        answer(form, message: nil, details: nil)
    }

    /// The answer to a request that does not fit, which says where.
    ///
    /// - Parameters:
    ///   - form: how much it says.
    ///   - message: what is wrong, in FCM's words.
    ///   - field: where; `nil` where the real service does not say.
    ///   - hasCode: whether the answer has an FcmError; FCM's JSON reader has none.
    /// - Returns: a 400.
    package static func invalid(
        _ form: FCMErrorForm,
        message: String,
        field: String?,
        hasCode: Bool
    ) -> SimulatorAnswer {
        var details: [String] = []
        if hasCode { details.append(fcmError("INVALID_ARGUMENT")) }
        if let field { details.append(badRequest(field: field, message)) }
        return invalidArgument.answer(form, message: message, details: details)
    }

    private func answer(_ form: FCMErrorForm, message: String?, details given: [String]?) -> SimulatorAnswer {
        let content = content
        guard let word = content.word else {
            return SimulatorAnswer(
                status: content.status,
                reason: rawValue,
                body: "<!DOCTYPE html>\n<html lang=en><title>Error \(content.status)</title>\(content.message)</html>\n"
            )
        }
        var details = given ?? content.details
        switch form {
        case .usual: break
        case .reversed: details.reverse()
        case .bare: details = []
        }
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.beginObject("error")
        json.member("code", content.status)
        json.member("message", message ?? content.message)
        json.member("status", word)
        if !details.isEmpty { json.member("details", json: "[\(details.joined(separator: ","))]".utf8) }
        json.endObject()
        json.endObject()
        return SimulatorAnswer(
            status: content.status,
            reason: rawValue,
            body: String(decoding: json.bytes, as: UTF8.self)
        )
    }

    private struct Content {
        let status: Int
        /// `error.status`; `nil` for a page of HTML.
        let word: String?
        let message: String
        let details: [String]

        init(_ status: Int, _ word: String?, _ message: String, _ details: String...) {
            self.status = status
            self.word = word
            self.message = message
            self.details = details
        }
    }

    private var content: Content {
        switch self {
        case .invalidToken:
            let text = "The registration token is not a valid FCM registration token"
            return Content(
                400,
                "INVALID_ARGUMENT",
                text,
                Self.fcmError("INVALID_ARGUMENT"),
                Self.badRequest(field: "message.token", text)
            )
        case .invalidArgument:
            return Content(
                400,
                "INVALID_ARGUMENT",
                "Request contains an invalid argument.",
                Self.fcmError("INVALID_ARGUMENT")
            )
        case .unregistered:
            return Content(404, "NOT_FOUND", "Requested entity was not found.", Self.fcmError("UNREGISTERED"))
        case .notFound: return Content(404, "NOT_FOUND", "Requested entity was not found.")
        case .senderIDMismatch:
            return Content(403, "PERMISSION_DENIED", "SenderId mismatch", Self.fcmError("SENDER_ID_MISMATCH"))
        case .permissionDenied:
            return Content(
                403,
                "PERMISSION_DENIED",
                "Permission 'cloudmessaging.messages.create' denied on resource "
                    + "'//cloudresourcemanager.googleapis.com/projects/x' (or it may not exist).",
                Self.errorInfo("IAM_PERMISSION_DENIED", domain: "iam.googleapis.com")
            )
        case .serviceDisabled:
            return Content(
                403,
                "PERMISSION_DENIED",
                "Firebase Cloud Messaging API has not been used in project x before or it is disabled.",
                #"{"@type":"type.googleapis.com/google.rpc.Help","links":[]}"#,
                Self.errorInfo("SERVICE_DISABLED")
            )
        case .scopeInsufficient:
            return Content(
                403,
                "PERMISSION_DENIED",
                "Request had insufficient authentication scopes.",
                Self.errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT")
            )
        case .tokenExpired:
            return Content(401, "UNAUTHENTICATED", Self.badCredentials, Self.errorInfo("ACCESS_TOKEN_EXPIRED"))
        case .credentialsMissing:
            return Content(
                401,
                "UNAUTHENTICATED",
                "Request is missing required authentication credential.",
                Self.errorInfo("CREDENTIALS_MISSING")
            )
        case .unauthenticated: return Content(401, "UNAUTHENTICATED", Self.badCredentials)
        case .thirdPartyAuthError:
            return Content(
                401,
                "UNAUTHENTICATED",
                "Auth error from APNS or Web Push Service",
                Self.fcmError("THIRD_PARTY_AUTH_ERROR"),
                #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":403,"#
                    + #""reason":"InvalidProviderToken"}"#
            )
        case .quotaExceeded: return Self.quota("Quota exceeded.", nil)
        case .deviceQuotaExceeded:
            return Self.quota("Quota exceeded.", "Message rate limit exceeded for device")
        case .topicQuotaExceeded: return Self.quota("Topic quota exceeded.", "Message rate limit exceeded for topic")
        case .projectQuotaExceeded:
            return Self.quota("Quota exceeded.", "Message rate limit exceeded for project")
        case .internalError:
            return Content(500, "INTERNAL", "Internal error encountered.", Self.fcmError("INTERNAL"))
        case .unavailable:
            return Content(
                503,
                "UNAVAILABLE",
                "The service is currently unavailable.",
                Self.fcmError("UNAVAILABLE")
            )
        case .unspecified:
            return Content(400, "INVALID_ARGUMENT", "Unspecified.", Self.fcmError("UNSPECIFIED_ERROR"))
        case .badGateway:
            return Content(502, nil, "The server encountered a temporary error. Please try again in 30 seconds.")
        case .gatewayTimeout: return Content(504, nil, "The server did not answer in time.")
        case .wrongPath: return Content(404, nil, "The requested URL was not found on this server.")
        }
    }

    private static let badCredentials =
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
        + "authentication credential."

    private static func quota(_ message: String, _ violation: String?) -> Content {
        guard let violation else {
            return Content(429, "RESOURCE_EXHAUSTED", message, fcmError("QUOTA_EXCEEDED"))
        }
        return Content(
            429,
            "RESOURCE_EXHAUSTED",
            message,
            fcmError("QUOTA_EXCEEDED"),
            #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"project:1","#
                + #""description":"\#(violation)"}]}"#
        )
    }

    private static func fcmError(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static func errorInfo(_ reason: String, domain: String = "googleapis.com") -> String {
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(reason)","domain":"\#(domain)","#
            + #""metadata":{"service":"fcm.googleapis.com","#
            + #""method":"google.firebase.fcm.v1.FcmService.SendMessage"}}"#
    }

    private static func badRequest(field: String, _ description: String) -> String {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("@type", "type.googleapis.com/google.rpc.BadRequest")
        json.beginArray("fieldViolations")
        json.beginObject()
        json.member("field", field)
        json.member("description", description)
        json.endObject()
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
