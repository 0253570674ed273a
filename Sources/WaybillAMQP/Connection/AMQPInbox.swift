import CWaybillRabbitMQ

/// Makes events of what the broker sends unasked.
///
/// - Note: Thread: the connection's.
final class AMQPInbox {
    private let link: AMQPLink
    /// Events met while something else was awaited; empty in the common case.
    private var pending: [AMQPEvent] = []
    /// The broker's words on the alarm that holds publishers back; `nil` while none does.
    private(set) var alarm: String?

    init(_ link: AMQPLink) {
        self.link = link
    }

    /// See ``AMQPConnection/nextEvent(timeout:)``.
    func nextEvent(timeout: Duration) throws(AMQPError) -> AMQPEvent? {
        if !pending.isEmpty { return pending.removeFirst() }
        let handle = try link.openHandle("wait")
        amqp_maybe_release_buffers(handle)
        let end = timeout > .zero ? ContinuousClock.now + timeout : nil
        var remaining = timeout
        while let frame = try nextFrame(handle, timeout: remaining) {
            if let event = try event(for: frame, handle) { return event }
            if !pending.isEmpty { return pending.removeFirst() }
            if let end { remaining = max(.zero, end - .now) }
        }
        return nil
    }

    /// What a frame outside of a content means; `nil` if nothing to the caller.
    private func event(for frame: amqp_frame_t, _ handle: amqp_connection_state_t) throws(AMQPError) -> AMQPEvent? {
        guard FrameType(rawValue: frame.frame_type) == .method else {
            // Left over from a channel that was closed in the middle of a message.
            guard link.isChannelOpen else { return nil }
            throw link.failed(
                AMQPError(
                    .protocolViolation,
                    operation: "wait",
                    text: "content without a method",
                    closesConnection: true
                )
            )
        }
        let method = frame.payload.method
        switch Method(rawValue: method.id) {
        case .basicDeliver where link.isChannelOpen:
            return try delivery(method.decoded.load(as: amqp_basic_deliver_t.self))
        case .basicReturn where link.isChannelOpen:
            return try returned(method.decoded.load(as: amqp_basic_return_t.self))
        default:
            return try shortEvent(method, handle)
        }
    }

    /// What a method without content means; `nil` if nothing to the caller.
    private func shortEvent(_ method: amqp_method_t, _ handle: amqp_connection_state_t) throws(AMQPError)
        -> AMQPEvent?
    {
        switch Method(rawValue: method.id) {
        case .basicAck:
            let ack = method.decoded.load(as: amqp_basic_ack_t.self)
            return .confirmed(deliveryTag: ack.delivery_tag, multiple: ack.multiple != 0)
        case .basicNack:
            let nack = method.decoded.load(as: amqp_basic_nack_t.self)
            return .refused(deliveryTag: nack.delivery_tag, multiple: nack.multiple != 0)
        case .basicCancel:
            return try cancelled(method.decoded.load(as: amqp_basic_cancel_t.self), handle)
        case .channelClose:
            let error = link.closed(by: method, handle, "closed by the broker")
            guard !error.closesConnection else { throw error }
            return .channelClosed(error)
        case .connectionClose:
            throw link.closed(by: method, handle, "closed by the broker")
        case .connectionBlocked:
            let blocked = method.decoded.load(as: amqp_connection_blocked_t.self)
            let reason = String(copying: blocked.reason)
            alarm = reason
            return .blocked(reason: reason)
        case .connectionUnblocked:
            alarm = nil
            return .unblocked
        case .channelFlow:
            var answer = amqp_channel_flow_ok_t(
                active: method.decoded.load(as: amqp_channel_flow_t.self).active
            )
            try link.check(
                amqp_send_method(handle, AMQPLink.channel, Method.channelFlowOK.rawValue, &answer),
                "channel.flow-ok"
            )
            return nil
        default:
            return nil
        }
    }

    private func delivery(_ method: amqp_basic_deliver_t) throws(AMQPError) -> AMQPEvent? {
        let consumerTag = String(copying: method.consumer_tag)
        let exchange = String(copying: method.exchange)
        let routingKey = String(copying: method.routing_key)
        guard let (properties, body) = try readContent() else { return nil }
        return .delivery(
            AMQPDelivery(
                consumerTag: consumerTag,
                deliveryTag: method.delivery_tag,
                isRedelivered: method.redelivered != 0,
                exchange: exchange,
                routingKey: routingKey,
                properties: properties,
                body: body
            )
        )
    }

    private func returned(_ method: amqp_basic_return_t) throws(AMQPError) -> AMQPEvent? {
        let text = String(copying: method.reply_text)
        let routingKey = String(copying: method.routing_key)
        guard let (properties, _) = try readContent() else { return nil }
        return .returned(
            replyCode: Int(method.reply_code),
            replyText: text,
            routingKey: routingKey,
            properties: properties
        )
    }

    private func cancelled(_ method: amqp_basic_cancel_t, _ handle: amqp_connection_state_t) throws(AMQPError)
        -> AMQPEvent?
    {
        let tag = String(copying: method.consumer_tag)
        if method.nowait == 0 {
            var answer = amqp_basic_cancel_ok_t(consumer_tag: method.consumer_tag)
            try link.check(
                amqp_send_method(handle, AMQPLink.channel, Method.basicCancelOK.rawValue, &answer),
                "basic.cancel-ok"
            )
        }
        return .consumerCancelled(tag: tag)
    }
}

// MARK: - Content

extension AMQPInbox {
    /// A reservation that a broker's word alone may cause.
    ///
    /// As large as RabbitMQ lets a message be, so that a large body is not copied from one array to the next while it
    /// comes. Pages that nothing is written to cost nothing.
    private static let bodyReservationLimit = 512 << 20

    /// Reads the header and body frames that follow a method with content, copying each byte once.
    ///
    /// - Returns: `nil` if the broker closed the channel instead; the event is pending.
    func readContent() throws(AMQPError) -> (AMQPProperties, [UInt8])? {
        guard let header = try contentFrame(.header) else { return nil }
        let size = header.payload.properties.body_size
        let properties = AMQPProperties(
            copying: header.payload.properties.decoded.load(as: amqp_basic_properties_t.self)
        )
        var body: [UInt8] = []
        body.reserveCapacity(Int(clamping: min(size, UInt64(Self.bodyReservationLimit))))
        while UInt64(body.count) < size {
            guard let frame = try contentFrame(.body) else { return nil }
            let fragment = frame.payload.body_fragment
            body.append(contentsOf: UnsafeRawBufferPointer(start: fragment.bytes, count: fragment.len))
            // rabbitmq-c would keep all frames until the message is complete, and with them the body a second time.
            if UInt64(body.count) < size {
                amqp_maybe_release_buffers_on_channel(try link.openHandle("read a message"), AMQPLink.channel)
            }
        }
        return (properties, body)
    }

    /// The next frame of a content.
    ///
    /// Methods of the connection, and confirms, may stand in between and become pending events.
    private func contentFrame(_ type: FrameType) throws(AMQPError) -> amqp_frame_t? {
        let handle = try link.openHandle("read a message")
        while link.isChannelOpen {
            guard let frame = try nextFrame(handle, timeout: link.replyTimeout) else {
                throw link.failed(
                    AMQPError(
                        .timeout,
                        operation: "read a message",
                        text: "the rest of the message did not come",
                        closesConnection: true
                    )
                )
            }
            if FrameType(rawValue: frame.frame_type) == .method {
                if let event = try shortEvent(frame.payload.method, handle) { pending.append(event) }
                continue
            }
            guard FrameType(rawValue: frame.frame_type) == type else { break }
            return frame
        }
        guard link.isChannelOpen else { return nil }
        throw link.failed(
            AMQPError(
                .protocolViolation,
                operation: "read a message",
                text: "frames out of order",
                closesConnection: true
            )
        )
    }

    /// The next frame, kept ones first; `nil` when the time is up.
    private func nextFrame(_ handle: amqp_connection_state_t, timeout: Duration) throws(AMQPError) -> amqp_frame_t? {
        var frame = amqp_frame_t()
        var wait = timeval(timeout)
        let status = amqp_simple_wait_frame_noblock(handle, &frame, &wait)
        if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        try link.check(status, "read from the broker")
        return frame
    }

    /// Drops what is left of a closed channel; what concerns the connection stays.
    func discardChannelFrames() throws(AMQPError) {
        let handle = try link.openHandle("channel.open")
        pending.removeAll { event in
            switch event {
            case .blocked, .unblocked: false
            default: true
            }
        }
        while amqp_frames_enqueued(handle) != 0, let frame = try nextFrame(handle, timeout: .zero) {
            guard frame.channel == 0, FrameType(rawValue: frame.frame_type) == .method else { continue }
            if let event = try shortEvent(frame.payload.method, handle) { pending.append(event) }
        }
    }
}
