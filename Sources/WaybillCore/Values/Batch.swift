/// A dispatch message, decoded: the content of one message in flight.
///
/// Immutable, and therefore shared freely between threads.
package struct Batch: Sendable {
    /// One entry of `notifications` or `device_tokens`.
    package struct Item: Sendable {
        package enum Content: Sendable {
            case valid(Notification)
            /// Indirect: it is rare, and would make every item three times as large.
            indirect case invalid(InvalidItem)
        }

        /// The position in the message as the producer published it; a delayed retry carries a subset and keeps it.
        package var index: Int
        package var content: Content
        /// The item's JSON as it stood in the body, for a delayed retry.
        package var source: ArraySlice<UInt8>

        package init(index: Int, content: Content, source: ArraySlice<UInt8>) {
            self.index = index
            self.content = content
            self.source = source
        }
    }

    /// Which of the three forms the body had, with the JSON that its items share.
    package enum Form: Sendable {
        /// An array, or an object with `notifications`; `defaults` is the JSON of the object of that name.
        case notifications(defaults: ArraySlice<UInt8>?)
        /// One payload for many tokens; `shared` is the JSON of every member but `device_tokens` and the envelope's own,
        /// as the inside of an object, without its braces.
        case deviceTokens(shared: ArraySlice<UInt8>)
    }

    /// The producer's `batch_id`, else the AMQP message id, else a digest of the body.
    package var id: String
    /// Whether the producer gave that name: a second message of the same name and content is then its repeat.
    package var isNamed: Bool
    /// What the ids derive from.
    package var identity: MessageIdentity
    /// Some notifications have an `apns_id` of the producer's, which may be in use already.
    package var hasGivenIDs: Bool
    package var client: String?
    /// The service of the front door that says it.
    package var serviceID: String?
    /// The position of the lane in the configuration.
    package var lane: Int
    /// The lane's name: a delayed retry finds its lane by it, whatever the configuration's order is by then.
    package var laneName: String
    package var form: Form
    package var items: [Item]
    /// How those items are sent again that somebody must acknowledge, by their position in ``items``; mostly none.
    package var repeats: [Int: RepeatRule]
    /// Bytes of the body, after inflating: the items' slices keep all of it in memory.
    package var byteCount: Int

    package init(
        id: String,
        isNamed: Bool,
        identity: MessageIdentity,
        hasGivenIDs: Bool,
        client: String?,
        serviceID: String? = nil,
        lane: Int,
        laneName: String,
        form: Form,
        items: [Item],
        repeats: [Int: RepeatRule] = [:],
        byteCount: Int
    ) {
        self.id = id
        self.isNamed = isNamed
        self.identity = identity
        self.hasGivenIDs = hasGivenIDs
        self.client = client
        self.serviceID = serviceID
        self.lane = lane
        self.laneName = laneName
        self.form = form
        self.items = items
        self.repeats = repeats
        self.byteCount = byteCount
    }

    /// Whether anything in it can still be sent.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - messageTime: what ages count from, in milliseconds since 1970.
    ///   - retriesEnd: see ``Deadline``.
    /// - Returns: false when every item is too late, or invalid.
    package func hasUnexpired(at now: Int64, messageTime: Int64, retriesEnd: Int64?) -> Bool {
        items.contains { item in
            if case .valid(let notification) = item.content {
                !notification.deadline(messageTime: messageTime, retriesEnd: retriesEnd).hasPassed(at: now)
            } else {
                false
            }
        }
    }
}
