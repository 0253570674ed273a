/// Why a whole message body cannot be read.
///
/// It goes to the rejected queue, untouched, with these two as headers.
package struct BodyRejection: Error, Hashable, Sendable {
    /// The machine's words for it (`schemas/asyncapi.yaml`, header `x-waybill-reason`).
    package enum Reason: String, CaseIterable, Sendable {
        case ambiguousForm = "ambiguous_form"
        case badEncoding = "bad_encoding"
        case badRetryHeader = "bad_retry_header"
        case badValue = "bad_value"
        /// An audience of the same name is another one.
        case conflictingAudience = "conflicting_audience"
        case duplicateField = "duplicate_field"
        case empty
        /// The client of an audience may not reach the app that it selects.
        case forbiddenApp = "forbidden_app"
        case forbiddenClient = "forbidden_client"
        case forbiddenLane = "forbidden_lane"
        case forbiddenKind = "forbidden_push_type"
        case misplacedField = "misplaced_field"
        case missingField = "missing_field"
        case missingProperty = "missing_property"
        case noNotifications = "no_notifications"
        case notJSON = "not_json"
        case notUTF8 = "not_utf8"
        /// Of the thesis' queue: its service has said more than it may.
        case rateLimited = "rate_limited"
        /// Not the body's fault: the store refuses the record of one notification.
        case recordRefused = "record_refused"
        case tooDeep = "too_deep"
        case tooLarge = "too_large"
        case tooManyNotifications = "too_many_notifications"
        case unknownClient = "unknown_client"
        case unknownField = "unknown_field"
        case unknownLane = "unknown_lane"
        case unknownProducer = "unknown_producer"
        /// Of the thesis' queue: there is no such service, or it may say nothing.
        case unknownService = "unknown_service"
        /// Of the thesis' queue: who is to be told does not belong to the service.
        case unknownUser = "unknown_user"

        /// Whether the body can be read, and its producer may not send it (``ProducerRules``).
        package var isRefusal: Bool {
            switch self {
            case .forbiddenApp, .forbiddenClient, .forbiddenLane, .forbiddenKind, .missingProperty, .unknownProducer:
                true
            default: false
            }
        }
    }

    /// The names that tell an operator whose message it is.
    package struct Envelope: Hashable, Sendable {
        package var batchID: String?
        package var client: String?

        package init(batchID: String? = nil, client: String? = nil) {
            self.batchID = batchID
            self.client = client
        }
    }

    /// One machine-readable word, a ``Reason``.
    package var reason: String
    /// A sentence with the field, the limit or the byte; never content.
    package var detail: String
    /// What the envelope names, as far as it could be read.
    package var envelope = Envelope()

    package init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }

    package init(_ reason: Reason, _ detail: String) {
        self.init(reason: reason.rawValue, detail: detail)
    }
}
