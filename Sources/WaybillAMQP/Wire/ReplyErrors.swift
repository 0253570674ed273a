import CWaybillRabbitMQ

extension AMQPError {
    /// A failure that rabbitmq-c reports itself (`amqp_status_enum`); each one ends the connection.
    init(status: Int32, operation: String, text: String? = nil) {
        let status = amqp_status_enum(rawValue: status)
        let code: Code =
            switch status {
            case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED: .unreachable
            case AMQP_STATUS_TIMEOUT: .timeout
            case AMQP_STATUS_SSL_ERROR, AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED, AMQP_STATUS_SSL_PEER_VERIFY_FAILED,
                AMQP_STATUS_SSL_CONNECTION_FAILED:
                .tls
            case AMQP_STATUS_BAD_AMQP_DATA, AMQP_STATUS_UNKNOWN_CLASS, AMQP_STATUS_UNKNOWN_METHOD,
                AMQP_STATUS_INCOMPATIBLE_AMQP_VERSION, AMQP_STATUS_UNEXPECTED_STATE, AMQP_STATUS_WRONG_METHOD,
                AMQP_STATUS_INVALID_PARAMETER, AMQP_STATUS_TABLE_TOO_BIG, AMQP_STATUS_BROKER_UNSUPPORTED_SASL_METHOD:
                .protocolViolation
            default: .connectionClosed
            }
        self.init(
            code,
            operation: operation,
            text: text ?? Self.words(for: status) ?? String(cString: amqp_error_string2(status.rawValue)),
            nativeCode: Int(status.rawValue),
            closesConnection: true
        )
    }

    /// What the statuses of an outage mean, for who does not know the library; `nil` for those of a fault, whose own words tell
    /// more.
    private static func words(for status: amqp_status_enum) -> String? {
        switch status {
        case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED: "no address is known for this host"
        case AMQP_STATUS_CONNECTION_CLOSED, AMQP_STATUS_SOCKET_CLOSED: "the broker has closed the connection"
        case AMQP_STATUS_SOCKET_ERROR, AMQP_STATUS_TCP_ERROR: "the connection to the broker broke"
        case AMQP_STATUS_HEARTBEAT_TIMEOUT: "the broker has said nothing for two heartbeats"
        case AMQP_STATUS_TIMEOUT: "the broker gave no answer in time"
        default: nil
        }
    }

    /// The broker's reply code for a connection that it ends because it stops, or because somebody has told it to.
    private static let connectionForced: UInt16 = 320

    /// The broker's words without the name of the reply code, which stands behind them as a number.
    private static func words(for close: amqp_connection_close_t) -> String {
        let text = String(copying: close.reply_text)
        guard close.reply_code == connectionForced else { return text }
        let reason = text.split(separator: " - ", maxSplits: 1).last.map(String.init) ?? text
        return "the broker ends the connection, as when it stops: \(reason)"
    }

    /// The broker's `channel.close`.
    init(channelClose close: amqp_channel_close_t, operation: String) {
        let code: Code =
            switch close.reply_code {
            case 403: .accessRefused
            case 404: .notFound
            case 405: .resourceLocked
            case 406: .preconditionFailed
            default: .channelClosed
            }
        self.init(
            code,
            operation: operation,
            text: String(copying: close.reply_text),
            replyCode: Int(close.reply_code),
            closesConnection: false
        )
    }

    /// The broker's `connection.close`.
    init(connectionClose close: amqp_connection_close_t, operation: String) {
        let code: Code =
            switch close.reply_code {
            case 403, 530: .accessRefused
            case 501...505: .protocolViolation
            default: .connectionClosed
            }
        self.init(
            code,
            operation: operation,
            text: Self.words(for: close),
            replyCode: Int(close.reply_code),
            closesConnection: true
        )
    }
}
