package import WaybillAMQP

/// The headers of Waybill's own on messages (`schemas/asyncapi.yaml`).
///
/// Everybody can write a header. These count on messages of queues that only Waybill may write to, and nowhere else.
package enum MessageHeader: String, CaseIterable, Sendable {
    /// A number: the pass that a delayed retry asks for, 2 or more.
    case attempt = "x-waybill-attempt"
    /// Text such as `0,5,17`: the positions that a retry's items have in the producer's message.
    case items = "x-waybill-items"
    /// Text: the hash that the ids of the producer's message derive from.
    case digest = "x-waybill-digest"
    /// Milliseconds since 1970: the time that these ids derive from; absent if the message has none.
    case time = "x-waybill-time"
    /// True on a retry that the broker may have twice, or whose items may have been pushed without a record.
    case copy = "x-waybill-copy"
    /// True on a retry of what came from the bulk queue: it lets others go first, as it did there.
    case bulk = "x-waybill-bulk"
    /// True on what an operator has sent again: for whoever looks into the queue, and for no program.
    case replay = "x-waybill-replay"
    /// Milliseconds since 1970: when a dispatcher first saw the message.
    case firstSeen = "x-waybill-first-seen"
    /// The user who published the producer's own message: the broker takes nothing under a foreign `user-id`.
    case producer = "x-waybill-producer"
    /// Text: which repeat of an unacknowledged notification a message is.
    case family = "x-waybill-family"
    /// Text: how long a retry's items have waited unsent because of their lane, and why.
    case waited = "x-waybill-waited"

    /// One machine-readable word: why a message is in the rejected queue.
    case reason = "x-waybill-reason"
    /// The same as a sentence.
    case detail = "x-waybill-detail"
    /// The queue that a rejected message was taken from.
    case queue = "x-waybill-queue"
    /// The client that a rejected message names.
    case client = "x-waybill-client"
    /// The batch that a rejected message names.
    case batch = "x-waybill-batch"

    /// The number of a publication on its connection, by which one that comes back is found; means nothing to readers.
    case sequence = "x-waybill-sequence"

    /// Whether a header's name is one of Waybill's, of this release or another.
    package static func isOurs(_ name: String) -> Bool { name.hasPrefix("x-waybill-") }

    /// Those that a rejection writes, and no retry needs again.
    static let ofRejections: Set<String> = Set(
        [reason, detail, firstSeen, queue, producer, client, batch, sequence].map(\.rawValue)
    )
}

extension AMQPProperties {
    /// The first header of a name.
    package subscript(_ header: MessageHeader) -> AMQPValue? { self[header: header.rawValue] }

    /// Adds a header at the end.
    package mutating func append(_ header: MessageHeader, _ value: AMQPValue) {
        headers.append((header.rawValue, value))
    }
}
