import CWaybillNGHTTP2

/// One end of an HTTP/2 connection (RFC 9113) without any input or output: bytes go in by ``receive(_:)`` and come out by
/// ``drain(into:limit:)``.
///
/// *Ownership:* the session owns its nghttp2 handle and the bodies that wait to be sent; it does not keep its delegate alive.
/// *Thread:* made, used and let go on one thread. *Blocking:* never.
package final class HTTP2Session {
    package enum Role: Hashable, Sendable {
        case client
        case server
    }

    /// What this end announces in its first SETTINGS.
    package struct Options: Hashable, Sendable {
        /// Bytes that the peer may send ahead on one stream.
        package var initialWindow: UInt32 = 65_535
        /// Bytes that the peer may send ahead on all streams together.
        package var connectionWindow: UInt32 = 1 << 20
        /// Streams that the peer may open at once; `nil` announces no limit.
        package var maxConcurrentStreams: UInt32?
        /// The largest header block, uncompressed, that is wanted from the peer.
        package var maxHeaderListSize: UInt32?
        /// Whether windows are opened again as bytes arrive; a session that does not makes its peer wait.
        package var updatesWindows = true
        /// The id of a client's first request, odd; higher than 1 only to show what happens when ids run out.
        package var firstStream: Int32 = 1

        package init() {}
    }

    var session: OpaquePointer?
    unowned(unsafe) let delegate: any HTTP2Delegate
    let role: Role
    var bodies = BodyTable()
    /// How the bodies leave that do not leave the plain way, by slot.
    var bodyForms: [Int: HTTP2BodyForm] = [:]
    private(set) var openStreamCount = 0
    /// Bytes that were drained so far.
    private(set) var drainedBytes: UInt64 = 0
    /// Inside ``HTTP2Delegate/requestSent(stream:)``: how many bytes are drained when that request's last one is.
    package internal(set) var requestEnd: UInt64 = 0

    /// Starts a session; its SETTINGS (and a client's preface) wait to be drained.
    ///
    /// - Parameters:
    ///   - role: which end of the connection this is.
    ///   - options: what to announce.
    ///   - delegate: must outlive every call to the session.
    /// - Throws: `HTTP2Error` for options that the protocol forbids.
    package init(role: Role, options: Options, delegate: any HTTP2Delegate) throws(HTTP2Error) {
        self.role = role
        self.delegate = delegate
        let callbacks = SessionCallbacks.make()
        defer { nghttp2_session_callbacks_del(callbacks) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        var nativeOptions: OpaquePointer?
        nghttp2_option_new(&nativeOptions)
        defer { nghttp2_option_del(nativeOptions) }
        // A server would otherwise remember closed streams for a priority tree that nobody uses.
        nghttp2_option_set_no_closed_streams(nativeOptions, 1)
        if !options.updatesWindows { nghttp2_option_set_no_auto_window_update(nativeOptions, 1) }
        let result =
            role == .client
            ? nghttp2_session_client_new2(&session, callbacks, context, nativeOptions)
            : nghttp2_session_server_new2(&session, callbacks, context, nativeOptions)
        try check(result, "nghttp2_session_new")
        if options.firstStream > 1 {
            try check(
                nghttp2_session_set_next_stream_id(session, options.firstStream),
                "nghttp2_session_set_next_stream_id"
            )
        }
        try submitFirstSettings(options)
    }

    deinit {
        nghttp2_session_del(session)
    }

    private func submitFirstSettings(_ options: Options) throws(HTTP2Error) {
        var settings: [(id: Int32, value: UInt32)] = [
            (Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), options.initialWindow)
        ]
        if role == .client { settings.append((Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), 0)) }
        if let streams = options.maxConcurrentStreams {
            settings.append((Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), streams))
        }
        if let size = options.maxHeaderListSize {
            settings.append((Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), size))
        }
        try check(queue(settings), "nghttp2_submit_settings")
        try check(
            nghttp2_session_set_local_window_size(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                0,
                Int32(clamping: options.connectionWindow)
            ),
            "nghttp2_session_set_local_window_size"
        )
    }

    // MARK: - Bytes

    /// Takes bytes from the peer; the delegate hears what they mean.
    ///
    /// - Throws: when the peer breaks the protocol so that the connection must end; drain what waits, then close.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        let result = nghttp2_session_mem_recv(session, start, bytes.count)
        if result < 0 { throw HTTP2Error(code: Int32(clamping: result), operation: "nghttp2_session_mem_recv") }
    }

    /// Appends frames that wait to be sent, until the buffer has reached the limit or none is left.
    ///
    /// nghttp2 hands out one frame at a time; gathering them makes one TLS record, and one system call, of many.
    package func drain(into buffer: inout [UInt8], limit: Int) throws(HTTP2Error) {
        while buffer.count < limit {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &frame)
            guard count >= 0 else {
                throw HTTP2Error(code: Int32(clamping: count), operation: "nghttp2_session_mem_send")
            }
            guard count > 0, let frame else { return }
            buffer.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
            drainedBytes += UInt64(count)
        }
    }

    // MARK: - Frames

    /// Queues a request.
    ///
    /// - Parameters:
    ///   - headers: copied within the call.
    ///   - body: kept until it is sent, not copied; an empty one ends the stream with the headers.
    /// - Returns: the stream's id.
    /// - Throws: `isOutOfStreams` when the connection can carry no more.
    package func submitRequest(_ headers: HTTP2HeaderBlock, body: ArraySlice<UInt8>) throws(HTTP2Error) -> Int32 {
        guard !body.isEmpty else {
            let stream = headers.withNameValues { nghttp2_submit_request(session, nil, $0, $1, nil, nil) }
            return try opened(stream)
        }
        let slot = bodies.insert(body)
        var source = SessionCallbacks.bodySource(slot: slot)
        let stream = headers.withNameValues {
            nghttp2_submit_request(session, nil, $0, $1, &source, Self.streamData(slot: slot))
        }
        if stream < 0 { bodies.remove(slot) }
        return try opened(stream)
    }

    private func opened(_ stream: Int32) throws(HTTP2Error) -> Int32 {
        try check(min(stream, 0), "nghttp2_submit_request")
        openStreamCount += 1
        return stream
    }

    /// Queues a response.
    ///
    /// - Throws: when the stream is closed already; the connection is none the worse for it.
    package func submitResponse(
        stream: Int32,
        _ headers: HTTP2HeaderBlock,
        body: [UInt8]
    ) throws(HTTP2Error) {
        // nghttp2 would notice only when the frame is due, and the body would wait in its slot forever.
        guard nghttp2_session_get_stream_local_close(session, stream) == 0 else {
            throw HTTP2Error(code: NGHTTP2_ERR_STREAM_CLOSED.rawValue, operation: "nghttp2_submit_response")
        }
        guard !body.isEmpty else {
            try check(
                headers.withNameValues { nghttp2_submit_response(session, stream, $0, $1, nil) },
                "nghttp2_submit_response"
            )
            return
        }
        let slot = bodies.insert(body[...])
        var source = SessionCallbacks.bodySource(slot: slot)
        let result = headers.withNameValues { nghttp2_submit_response(session, stream, $0, $1, &source) }
        if result < 0 { bodies.remove(slot) }
        try check(result, "nghttp2_submit_response")
        nghttp2_session_set_stream_user_data(session, stream, Self.streamData(slot: slot))
    }

    /// Queues a RST_STREAM frame.
    package func reset(stream: Int32, errorCode: UInt32) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode)
    }

    /// Queues a SETTINGS frame with identifiers of RFC 9113 §6.5.2; values that it forbids queue nothing.
    package func submitSettings(_ settings: [(id: Int32, value: UInt32)]) {
        _ = queue(settings)
    }

    private func queue(_ settings: [(id: Int32, value: UInt32)]) -> Int32 {
        let entries = settings.map { nghttp2_settings_entry(settings_id: $0.id, value: $0.value) }
        return nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    /// Queues a GOAWAY frame.
    ///
    /// - Parameters:
    ///   - lastStream: the last one that was or may be processed; lowered to what an earlier GOAWAY said.
    ///   - errorCode: one of RFC 9113 §7.
    ///   - debugData: at most 16,376 bytes; more queues nothing.
    package func submitGoAway(lastStream: Int32, errorCode: UInt32, debugData: [UInt8]) {
        nghttp2_submit_goaway(
            session,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            lastStream,
            errorCode,
            debugData,
            debugData.count
        )
    }

    /// Queues a PING frame; its answer brings the same number back.
    package func submitPing(_ opaque: UInt64) {
        withUnsafeBytes(of: opaque.bigEndian) { bytes in
            _ = nghttp2_submit_ping(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                bytes.bindMemory(to: UInt8.self).baseAddress
            )
        }
    }

    // MARK: - State

    /// Whether frames wait to be drained.
    package var wantsWrite: Bool { nghttp2_session_want_write(session) != 0 }

    /// Whether the session still expects anything; when it wants neither, the connection is over.
    package var wantsRead: Bool { nghttp2_session_want_read(session) != 0 }

    /// Streams that the peer allows at once; a large number while it has set no limit.
    package var remoteMaxConcurrentStreams: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// The largest header block that the peer wants, uncompressed.
    package var remoteMaxHeaderListSize: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE))
    }

    /// Bytes of a body that the peer takes ahead on each new stream.
    package var remoteInitialWindow: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE))
    }

    /// The largest frame that the peer takes.
    package var remoteMaxFrameSize: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_FRAME_SIZE))
    }

    /// The size of the peer's HPACK table.
    package var remoteHeaderTableSize: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE))
    }

    /// Bytes of bodies that may still be sent on all streams together before the peer opens the window.
    package var remoteConnectionWindow: Int { Int(nghttp2_session_get_remote_window_size(session)) }

    /// Bodies that have bytes to send.
    ///
    /// After everything has been drained these wait for a window of the peer's.
    package var unsentBodies: Int { bodies.unsent }

    /// Bytes of bodies that would still find room in the peer's window for the whole connection; 0 and below: none.
    package var roomInConnectionWindow: Int { remoteConnectionWindow - bodies.unsentBytes }

    /// Streams that were opened, by either end, and are not closed.
    package var openStreams: Int { openStreamCount }

    /// The id of the next request; beyond 2³¹−1 there is none.
    package var nextStreamID: UInt32 { nghttp2_session_get_next_stream_id(session) }

    // MARK: - Callbacks

    func streamOpenedByPeer() {
        openStreamCount += 1
    }

    func streamClosed(_ stream: Int32, errorCode: UInt32) {
        openStreamCount -= 1
        // Slots are kept as addresses, one up, so that "no body" is null.
        if let data = nghttp2_session_get_stream_user_data(session, stream) { removeBody(Int(bitPattern: data) - 1) }
        delegate.streamClosed(stream: stream, errorCode: errorCode)
    }

    func removeBody(_ slot: Int) {
        bodies.remove(slot)
        if !bodyForms.isEmpty { bodyForms[slot] = nil }
    }

    static func streamData(slot: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: slot + 1)
    }

    func check(_ result: Int32, _ operation: String) throws(HTTP2Error) {
        if result < 0 { throw HTTP2Error(code: result, operation: operation) }
    }
}
