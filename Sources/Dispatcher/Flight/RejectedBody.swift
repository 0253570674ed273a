import AMQP
import Topology

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

    /// The properties to publish it with.
    var published: AMQPProperties {
        RejectedProperties.make(from: properties, reason: reason, detail: detail, firstSeen: firstSeen)
    }
}
