package import WaybillCore

/// A notification that is to be sent again until somebody acknowledges it, with all that a repeat takes.
package struct UnacknowledgedNotification: Hashable, Sendable {
    /// Its id, which is the family's name.
    package var first: NotificationID
    /// What that is about, where its producer gave the id.
    package var content: UInt64?
    package var client: String?
    package var lane: String
    package var rule: RepeatRule
    /// Its own time, in milliseconds since 1970.
    package var begins: Int64
    /// From when on it is too late, in milliseconds since 1970; `nil` for never.
    package var ends: Int64?
    /// What a repeat is published with.
    package var message: Message

    /// A dispatch message of this notification alone.
    package struct Message: Hashable, Sendable {
        package var body: [UInt8]
        package var messageID: String?
        /// The AMQP `timestamp` of the producer's message, in seconds since 1970.
        package var timestamp: UInt64?
        /// The user who published the producer's message.
        package var producer: String?
        /// Whether it came from the bulk queue.
        package var isBulk: Bool

        package init(
            body: [UInt8],
            messageID: String? = nil,
            timestamp: UInt64? = nil,
            producer: String? = nil,
            isBulk: Bool = false
        ) {
            self.body = body
            self.messageID = messageID
            self.timestamp = timestamp
            self.producer = producer
            self.isBulk = isBulk
        }
    }

    package init(
        first: NotificationID,
        content: UInt64? = nil,
        client: String? = nil,
        lane: String,
        rule: RepeatRule,
        begins: Int64,
        ends: Int64? = nil,
        message: Message
    ) {
        self.first = first
        self.content = content
        self.client = client
        self.lane = lane
        self.rule = rule
        self.begins = begins
        self.ends = ends
        self.message = message
    }
}
