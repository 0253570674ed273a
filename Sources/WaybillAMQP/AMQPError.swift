/// Why an operation on a broker failed.
///
/// The text names hosts, users, queues and arguments, and never a password or a message's content.
package struct AMQPError: Error, Hashable, Sendable {
    /// The kinds of failure that a caller may want to tell apart.
    package enum Code: String, Sendable {
        /// The URL cannot be read.
        case invalidURL
        /// No connection came about: name, route, refused, or no answer in time.
        case unreachable
        /// The certificate was refused, or the handshake failed.
        case tls
        /// 403 or 530: user, password, virtual host or a permission.
        case accessRefused
        /// 404: no such queue or exchange.
        case notFound
        /// 405: somebody else holds the queue exclusively.
        case resourceLocked
        /// 406: a queue with other settings, an unknown delivery tag, or the consumer timeout.
        case preconditionFailed
        /// The connection is gone.
        case connectionClosed
        /// The channel is gone; the connection stands.
        case channelClosed
        /// The broker did not answer in time.
        case timeout
        /// The broker ended a consumer of ours: its queue was deleted or has moved.
        case consumerCancelled
        /// The broker did not take a publication: returned, refused, or not confirmed.
        case publicationFailed
        /// One side broke AMQP 0-9-1.
        case protocolViolation
    }

    /// What kind of failure it is.
    package let code: Code
    /// What was tried, such as `queue.declare`.
    package let operation: String
    /// AMQP's reply code, where the broker gave one.
    package let replyCode: Int?
    /// rabbitmq-c's status (`amqp_status_enum`), where the library gave one.
    package let nativeCode: Int?
    /// The broker's or the library's own words.
    package let text: String
    /// Whether the connection cannot be used any more; if not, ``AMQPConnection/reopenChannel()`` goes on.
    package let closesConnection: Bool

    package init(
        _ code: Code,
        operation: String,
        text: String,
        replyCode: Int? = nil,
        nativeCode: Int? = nil,
        closesConnection: Bool
    ) {
        self.code = code
        self.operation = operation
        self.text = text
        self.replyCode = replyCode
        self.nativeCode = nativeCode
        self.closesConnection = closesConnection
    }

    /// Whether the same operation may succeed later, on a new connection or channel, without anybody changing anything.
    package var isRetriable: Bool {
        switch code {
        case .unreachable, .connectionClosed, .channelClosed, .timeout, .resourceLocked, .consumerCancelled,
            .publicationFailed:
            true
        case .invalidURL, .tls, .accessRefused, .notFound, .preconditionFailed, .protocolViolation: false
        }
    }
}

extension AMQPError: CustomStringConvertible {
    package var description: String {
        let reply = replyCode.map { " (\($0))" } ?? ""
        return "\(operation.isEmpty ? "" : "\(operation): ")\(text)\(reply)"
    }
}
