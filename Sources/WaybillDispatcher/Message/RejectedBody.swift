import WaybillAMQP
import WaybillCore
import WaybillMessages

/// A message body that cannot be read as a whole, on its way to the rejected queue with its bytes untouched.
struct RejectedBody: Sendable {
    let body: [UInt8]
    /// The producer's own.
    let properties: AMQPProperties
    /// One machine-readable word.
    let reason: String
    /// A sentence with the field, the limit or the position; never content.
    let detail: String
    /// Milliseconds since 1970.
    let firstSeen: Int64
    /// Whose message it is, as far as that could be read.
    let origin: RejectedProperties.Origin

    /// Whether the body can be read, and its producer may not send it.
    var isRefusal: Bool { BodyRejection.Reason(rawValue: reason)?.isRefusal ?? false }

    /// The properties to publish it with.
    var published: AMQPProperties {
        RejectedProperties.make(
            from: properties,
            reason: reason,
            detail: detail,
            firstSeen: firstSeen,
            origin: origin
        )
    }
}
