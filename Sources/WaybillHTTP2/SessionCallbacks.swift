import CWaybillNGHTTP2

/// nghttp2's callbacks, which find their session in the user data and turn C arguments into the delegate's.
enum SessionCallbacks {
    /// Makes the table of callbacks; the caller deletes it once the session has copied it.
    static func make() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, data in
            guard let frame else { return 0 }
            let session = SessionCallbacks.session(data)
            if frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue),
                frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            {
                session.streamOpenedByPeer()
            }
            session.delegate.headersBegan(stream: frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameCount,
            value,
            valueCount,
            _,
            data in
            guard let frame else { return 0 }
            SessionCallbacks.session(data).delegate.header(
                stream: frame.pointee.hd.stream_id,
                name: UnsafeRawBufferPointer(start: name, count: nameCount),
                value: UnsafeRawBufferPointer(start: value, count: valueCount)
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, data in
            SessionCallbacks.session(data).delegate.data(
                stream: stream,
                bytes: UnsafeRawBufferPointer(start: bytes, count: count)
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
            if let frame { SessionCallbacks.received(frame, SessionCallbacks.session(data).delegate) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, data in
            if let frame { SessionCallbacks.sent(frame, SessionCallbacks.session(data)) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, errorCode, data in
            SessionCallbacks.session(data).streamClosed(stream, errorCode: errorCode)
            return 0
        }
        return callbacks
    }

    /// The source of a body's bytes: its slot in the session's table.
    static func bodySource(slot: Int) -> nghttp2_data_provider {
        var provider = nghttp2_data_provider()
        provider.source.fd = Int32(slot)
        provider.read_callback = { _, stream, buffer, length, flags, source, data in
            // nghttp2 always passes its own source and flags.
            guard let source, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            let session = SessionCallbacks.session(data)
            let slot = Int(source.pointee.fd)
            if !session.bodyForms.isEmpty, session.bodyForms[slot] != nil {
                let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: length)
                return session.takeShaped(stream: stream, slot: slot, into: buffer, flags: flags)
            }
            let (count, isEnd) = session.bodies.take(
                from: slot,
                into: UnsafeMutableRawBufferPointer(start: buffer, count: length)
            )
            if isEnd {
                flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
            }
            return count
        }
        return provider
    }

    /// The user data is the session, unretained: it owns the nghttp2 handle and so outlives every callback.
    private static func session(_ data: UnsafeMutableRawPointer?) -> HTTP2Session {
        Unmanaged<HTTP2Session>.fromOpaque(data!).takeUnretainedValue()
    }

    private static func sent(_ frame: UnsafePointer<nghttp2_frame>, _ session: HTTP2Session) {
        let head = frame.pointee.hd
        let carriesRequest = head.type == UInt8(NGHTTP2_HEADERS.rawValue) || head.type == UInt8(NGHTTP2_DATA.rawValue)
        guard session.role == .client, carriesRequest, head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        else { return }
        // nghttp2 tells of a frame just before it hands the frame out; the head has nine bytes (RFC 9113 §4.1).
        session.requestEnd = session.drainedBytes + 9 + UInt64(head.length)
        session.delegate.requestSent(stream: head.stream_id)
    }

    private static func received(_ frame: UnsafePointer<nghttp2_frame>, _ delegate: any HTTP2Delegate) {
        let head = frame.pointee.hd
        let endsStream = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isAnswer = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue:
            delegate.headersEnded(stream: head.stream_id, endStream: endsStream)
            if endsStream { delegate.streamEnded(stream: head.stream_id) }
        case NGHTTP2_DATA.rawValue where endsStream:
            delegate.streamEnded(stream: head.stream_id)
        case NGHTTP2_SETTINGS.rawValue where !isAnswer:
            delegate.settingsReceived()
        case NGHTTP2_PING.rawValue where isAnswer:
            let opaque = withUnsafeBytes(of: frame.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
            delegate.pingAcknowledged(UInt64(bigEndian: opaque))
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            delegate.goAway(
                lastStream: goAway.last_stream_id,
                errorCode: goAway.error_code,
                debugData: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            )
        default:
            break
        }
    }
}
