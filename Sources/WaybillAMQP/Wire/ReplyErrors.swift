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
            text: text ?? String(cString: amqp_error_string2(status.rawValue)),
            nativeCode: Int(status.rawValue),
            closesConnection: true
        )
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
            text: String(copying: close.reply_text),
            replyCode: Int(close.reply_code),
            closesConnection: true
        )
    }
}
