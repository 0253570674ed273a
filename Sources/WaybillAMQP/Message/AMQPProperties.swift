/// A message's properties; the ones that are absent on the wire are `nil`.
package struct AMQPProperties: Sendable {
    package var contentType: String?
    package var contentEncoding: String?
    package var messageID: String?
    package var correlationID: String?
    package var type: String?
    package var appID: String?
    /// The user who published the message, by the broker's own validation: it takes no message under a foreign name.
    ///
    /// It is published only if ``namesUser`` is set: the broker would refuse what a producer's message left here.
    package var userID: String?
    /// Whether to publish with ``userID``, which must then be the connection's own user.
    package var namesUser = false
    /// The per-message time to live: milliseconds, as decimal text.
    package var expiration: String?
    /// Seconds since 1970, by AMQP's definition.
    package var timestamp: UInt64?
    /// Delivery mode 2.
    ///
    /// A message that is not persistent may be lost by the broker on its way to a dead-letter target.
    package var isPersistent: Bool
    /// The first property that came as something else than UTF-8, by its name: its text has U+FFFD in the place of that.
    package var brokenText: String?
    /// In wire order.
    package var headers: [(name: String, value: AMQPValue)]

    package init(
        contentType: String? = nil,
        contentEncoding: String? = nil,
        messageID: String? = nil,
        correlationID: String? = nil,
        type: String? = nil,
        appID: String? = nil,
        userID: String? = nil,
        expiration: String? = nil,
        timestamp: UInt64? = nil,
        isPersistent: Bool = true,
        headers: [(name: String, value: AMQPValue)] = []
    ) {
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.messageID = messageID
        self.correlationID = correlationID
        self.type = type
        self.appID = appID
        self.userID = userID
        self.expiration = expiration
        self.timestamp = timestamp
        self.isPersistent = isPersistent
        self.headers = headers
    }

    /// The first header of a name; linear in the number of headers, which is small.
    package subscript(header name: String) -> AMQPValue? {
        headers.first { $0.name == name }?.value
    }
}
