import CWaybillRabbitMQ
import WaybillEncoding

/// The way to one node of a broker: socket, TLS, login, channel.
enum AMQPDial {
    /// How long the broker may take nothing of what is sent before the system gives the connection up.
    ///
    /// The one limit that a publication has: rabbitmq-c waits without end for room in the socket. An alarm may last longer,
    /// and ends the connection then.
    static let longestSilence = Duration.seconds(60)

    static func open(
        _ endpoint: AMQPEndpoint,
        _ node: AMQPNode,
        patience: Duration,
        timeout: Duration,
        interrupt: AMQPInterrupt?
    ) throws(AMQPError) -> AMQPLink {
        // Null only when memory has run out, which nothing in the process survives.
        let handle = amqp_new_connection()!
        let link = AMQPLink(handle, replyTimeout: timeout, interrupt: interrupt)
        var wait = timeval(timeout)
        amqp_set_rpc_timeout(handle, &wait)
        wait = timeval(patience)
        amqp_set_handshake_timeout(handle, &wait)
        try connect(handle, endpoint, node, &wait, patience)
        interrupt?.attach(amqp_get_sockfd(handle))
        wb_amqp_limit_silence(amqp_get_sockfd(handle), UInt32(clamping: Self.longestSilence.components.seconds * 1000))
        try logIn(link, handle, endpoint, node, patience)
        try link.openChannel()
        return link
    }

    /// What a broker did not do that takes connections and says nothing.
    private static func silence(_ patience: Duration) -> String { "no answer within \(DurationText.text(patience))" }

    private static func connect(
        _ handle: amqp_connection_state_t,
        _ endpoint: AMQPEndpoint,
        _ node: AMQPNode,
        _ wait: inout timeval,
        _ patience: Duration
    ) throws(AMQPError) {
        let operation = "connect to \(node)"
        let socket: OpaquePointer
        if endpoint.usesTLS {
            // rabbitmq-c would set up OpenSSL 3, which sets itself up, with locks of its own.
            amqp_set_initialize_ssl_library(0)
            guard let tls = amqp_ssl_socket_new(handle) else {
                throw AMQPError(.tls, operation: operation, text: "OpenSSL gave no context", closesConnection: true)
            }
            guard wb_amqp_tls_verify(tls, node.host, endpoint.caFile) == 1,
                amqp_ssl_socket_set_ssl_versions(tls, AMQP_TLSv1_2, AMQP_TLSvLATEST) == AMQP_STATUS_OK.rawValue
            else {
                let file = endpoint.caFile.map { "the CA file \($0)" } ?? "the system's trust store"
                throw AMQPError(.tls, operation: operation, text: "cannot read \(file)", closesConnection: true)
            }
            if let identity = endpoint.identity {
                let status = amqp_ssl_socket_set_key(tls, identity.certificateFile, identity.privateKeyFile)
                guard status == AMQP_STATUS_OK.rawValue else {
                    let text = "cannot use the certificate \(identity.certificateFile) with its private key"
                    throw AMQPError(.tls, operation: operation, text: text, closesConnection: true)
                }
            }
            socket = tls
        } else {
            socket = amqp_tcp_socket_new(handle)
        }
        let status = amqp_socket_open_noblock(socket, node.host, Int32(node.port), &wait)
        guard status != AMQP_STATUS_OK.rawValue else { return }
        let error = AMQPError(status: status, operation: operation)
        if error.code == .tls {
            let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? error.text
            // What OpenSSL says of bytes that are no TLS record at all.
            let hint = reason == "wrong version number" ? "; does this port speak TLS?" : ""
            throw AMQPError(status: status, operation: operation, text: "the TLS handshake failed: \(reason)\(hint)")
        }
        let text =
            switch status {
            case AMQP_STATUS_SOCKET_ERROR.rawValue:
                "nothing answers there; the connection is refused, or there is no way to the host"
            case AMQP_STATUS_TIMEOUT.rawValue: silence(patience)
            default: error.text
            }
        throw AMQPError(
            .unreachable,
            operation: operation,
            text: text,
            nativeCode: error.nativeCode,
            closesConnection: true
        )
    }

    private static func logIn(
        _ link: AMQPLink,
        _ handle: amqp_connection_state_t,
        _ endpoint: AMQPEndpoint,
        _ node: AMQPNode,
        _ patience: Duration
    ) throws(AMQPError) {
        let operation = "log in at \(node)"
        let pool = WirePool()
        var properties = pool.table([
            ("product", "Waybill"),
            ("connection_name", .string(endpoint.connectionName)),
            (
                "capabilities",
                .table([
                    "basic.nack": true, "connection.blocked": true, "consumer_cancel_notify": true,
                    "publisher_confirms": true,
                ])
            ),
        ])
        let reply = wb_amqp_login_plain(
            handle,
            endpoint.virtualHost,
            Int32(AMQPLink.channel),
            AMQP_DEFAULT_FRAME_SIZE,
            Int32(clamping: endpoint.heartbeat.components.seconds),
            &properties,
            endpoint.user,
            endpoint.password
        )
        link.answered()
        do {
            try link.check(reply, handle, operation)
        } catch  where error.code == .accessRefused {
            throw AMQPError(
                .accessRefused,
                operation: operation,
                text: "user '\(endpoint.user)' is refused on virtual host '\(endpoint.virtualHost)': \(error.text)",
                replyCode: error.replyCode,
                closesConnection: true
            )
        } catch  where error.code == .timeout {
            throw AMQPError(
                .timeout,
                operation: operation,
                text: "\(silence(patience)); the broker takes connections and hangs, or something else listens there",
                nativeCode: error.nativeCode,
                closesConnection: true
            )
        }
    }
}
