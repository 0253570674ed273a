/// The AMQP properties that have a say in what a message means.
package struct MessageProperties: Hashable, Sendable {
    /// `message-id`: the batch's name when the body has no `batch_id`.
    package var messageID: String?
    /// `timestamp`, in milliseconds since 1970 (AMQP itself counts seconds).
    package var timestampMilliseconds: Int64?
    /// `content-encoding`: `gzip` is inflated; absent, or a name of no compression such as `identity`, means plain JSON.
    package var contentEncoding: String?
    /// When a dispatcher first saw the message, in milliseconds since 1970, the same for all its retries; `nil` where no
    /// dispatcher has.
    package var firstSeenMilliseconds: Int64?
    /// Present on a delayed retry, which a dispatcher has published.
    package var retry: RetryHeader?

    package init(
        messageID: String? = nil,
        timestampMilliseconds: Int64? = nil,
        contentEncoding: String? = nil,
        firstSeenMilliseconds: Int64? = nil,
        retry: RetryHeader? = nil
    ) {
        self.messageID = messageID
        self.timestampMilliseconds = timestampMilliseconds
        self.contentEncoding = contentEncoding
        self.firstSeenMilliseconds = firstSeenMilliseconds
        self.retry = retry
    }
}
