/// A POST to an address that somebody else has named.
package struct WebhookPost: Sendable {
    /// `https://…`, or `http://…` where that is allowed.
    package var url: String
    /// Names and values, without line breaks.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Whether `http` is spoken at all.
    package var allowsPlain: Bool
    /// PEM file with the authorities for `https`; `nil` means the system's.
    package var caFile: String?
    /// From the beginning to the last byte of the answer.
    package var timeLimit: Duration
    /// How much of an answer is read; what is behind it is not waited for.
    package var byteLimit: Int
    /// Whether a connection that another post has opened to the same host may be used, and this one's by the next.
    ///
    /// ``permits`` is asked where one is opened: whoever permits fewer addresses than others do must not share theirs.
    package var sharesConnections: Bool
    /// Whether an address, as `192.0.2.1` or `2001:db8::1`, may be connected to; asked of each before a socket exists.
    package var permits: @Sendable (String) -> Bool

    package init(
        url: String,
        headers: [(name: String, value: String)],
        body: [UInt8],
        allowsPlain: Bool = false,
        caFile: String? = nil,
        timeLimit: Duration = .seconds(15),
        byteLimit: Int = 16 << 10,
        sharesConnections: Bool = true,
        permits: @escaping @Sendable (String) -> Bool
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.allowsPlain = allowsPlain
        self.caFile = caFile
        self.timeLimit = timeLimit
        self.byteLimit = byteLimit
        self.sharesConnections = sharesConnections
        self.permits = permits
    }
}

/// What was answered.
package struct WebhookAnswer: Hashable, Sendable {
    /// 100 to 599.
    package var status: Int
    /// How long to wait, where the answer says; seconds.
    package var retryAfter: Int?
    /// The first KiB of what was said.
    package var beginning: [UInt8]

    package init(status: Int, retryAfter: Int? = nil, beginning: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.beginning = beginning
    }
}
