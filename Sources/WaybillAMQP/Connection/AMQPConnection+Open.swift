import CWaybillRabbitMQ

extension AMQPConnection {
    /// Connects to one of the endpoint's nodes, verifies its certificate where the endpoint asks for TLS, logs in and opens
    /// the channel.
    ///
    /// The nodes are tried in turn, from the one that answered last on; the first time from a random one, so that many
    /// clients spread over a cluster. A node that refuses the user speaks for all of them. Announces what the pipeline relies
    /// on: `connection.blocked`, `consumer_cancel_notify`, `basic.nack` and `publisher_confirms`.
    ///
    /// - Parameters:
    ///   - endpoint: Where and who.
    ///   - timeout: For each of connect and handshake, and later for each answer. With several nodes a node has no more than
    ///     three seconds for the first two: the next one may be better. A name look-up is not bounded by it.
    ///   - interrupt: Ends the connection's calls from another thread; it is for one connection at a time.
    /// - Returns: A connection that belongs to the calling thread.
    /// - Throws: `.unreachable`, `.tls`, `.accessRefused`, `.timeout` and others; when all of several nodes failed,
    ///   `.unreachable` if one of them may answer later, and a text that tells of each.
    package static func open(
        _ endpoint: AMQPEndpoint,
        timeout: Duration = .seconds(10),
        interrupt: AMQPInterrupt? = nil
    ) throws(AMQPError) -> AMQPConnection {
        let nodes = endpoint.nodes
        let patience = nodes.count == 1 ? timeout : min(timeout, .seconds(3))
        let first = endpoint.lastGood.position ?? Int.random(in: nodes.indices)
        var failures: [AMQPError] = []
        for position in Array(first..<nodes.count) + Array(0..<first) {
            do throws(AMQPError) {
                let connection = try open(
                    endpoint,
                    nodes[position],
                    patience: patience,
                    timeout: timeout,
                    interrupt: interrupt
                )
                endpoint.lastGood.position = position
                return connection
            } catch {
                if nodes.count == 1 || error.code == .accessRefused { throw error }
                failures.append(error)
            }
        }
        throw AMQPError(
            failures.contains(where: \.isRetriable) ? .unreachable : failures[0].code,
            operation: "connect to one of \(nodes.count) nodes",
            text: failures.map(\.description).joined(separator: "; "),
            closesConnection: true
        )
    }

    /// How long the broker may take nothing of what is sent before the system gives the connection up.
    ///
    /// The one limit that a publication has: rabbitmq-c waits without end for room in the socket. An alarm may last longer,
    /// and ends the connection then.
    static let longestSilence = Duration.seconds(60)

    private static func open(
        _ endpoint: AMQPEndpoint,
        _ node: AMQPNode,
        patience: Duration,
        timeout: Duration,
        interrupt: AMQPInterrupt?
    ) throws(AMQPError) -> AMQPConnection {
        // Null only when memory has run out, which nothing in the process survives.
        let handle = amqp_new_connection()!
        let connection = AMQPConnection(handle: handle, replyTimeout: timeout, interrupt: interrupt)
        var wait = timeval(timeout)
        amqp_set_rpc_timeout(handle, &wait)
        wait = timeval(patience)
        amqp_set_handshake_timeout(handle, &wait)
        try connect(handle, endpoint, node, &wait)
        interrupt?.attach(amqp_get_sockfd(handle))
        wb_amqp_limit_silence(amqp_get_sockfd(handle), UInt32(clamping: Self.longestSilence.components.seconds * 1000))
        try connection.logIn(handle, endpoint)
        try connection.openChannel(handle)
        return connection
    }

    private static func connect(
        _ handle: amqp_connection_state_t,
        _ endpoint: AMQPEndpoint,
        _ node: AMQPNode,
        _ wait: inout timeval
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
        throw AMQPError(
            .unreachable,
            operation: operation,
            text: status == AMQP_STATUS_SOCKET_ERROR.rawValue
                ? "nothing answers there; the connection is refused, or there is no way to the host" : error.text,
            nativeCode: error.nativeCode,
            closesConnection: true
        )
    }

    private func logIn(_ handle: amqp_connection_state_t, _ endpoint: AMQPEndpoint) throws(AMQPError) {
        pool.recycle()
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
            Int32(Self.channel),
            AMQP_DEFAULT_FRAME_SIZE,
            Int32(clamping: endpoint.heartbeat.components.seconds),
            &properties,
            endpoint.user,
            endpoint.password
        )
        isOpen = true
        do {
            try check(reply, handle, "log in")
        } catch  where error.code == .accessRefused {
            throw AMQPError(
                .accessRefused,
                operation: "log in",
                text: "user '\(endpoint.user)' is refused on virtual host '\(endpoint.virtualHost)': \(error.text)",
                replyCode: error.replyCode,
                closesConnection: true
            )
        }
    }

    func openChannel(_ handle: amqp_connection_state_t) throws(AMQPError) {
        amqp_channel_open(handle, Self.channel)
        try checkReply(handle, "channel.open")
        isChannelOpen = true
        publishSequence = nil
    }
}
