import CWaybillNGHTTP2

// The less usual answers of a server: in parts, in a given shape, or never finished.
extension HTTP2Session {
    /// Queues a block of response headers that does not end the stream: an interim response (1xx), or the beginning of
    /// an answer whose rest does not come.
    ///
    /// - Throws: when the stream is closed already; the connection is none the worse for it.
    package func submitHeaders(stream: Int32, _ headers: HTTP2HeaderBlock) throws(HTTP2Error) {
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        let result = headers.withNameValues { nghttp2_submit_headers(session, flags, stream, nil, $0, $1, nil) }
        try check(min(result, 0), "nghttp2_submit_headers")
    }

    /// Queues a response whose body leaves in a given form.
    ///
    /// - Throws: when the stream is closed already; the connection is none the worse for it.
    package func submitResponse(
        stream: Int32,
        _ headers: HTTP2HeaderBlock,
        body: [UInt8],
        form: HTTP2BodyForm
    ) throws(HTTP2Error) {
        guard nghttp2_session_get_stream_local_close(session, stream) == 0 else {
            throw HTTP2Error(code: NGHTTP2_ERR_STREAM_CLOSED.rawValue, operation: "nghttp2_submit_response")
        }
        let slot = bodies.insert(body[...])
        bodyForms[slot] = form
        var source = SessionCallbacks.bodySource(slot: slot)
        let result = headers.withNameValues { nghttp2_submit_response(session, stream, $0, $1, &source) }
        if result < 0 { removeBody(slot) }
        try check(result, "nghttp2_submit_response")
        nghttp2_session_set_stream_user_data(session, stream, Self.streamData(slot: slot))
    }

    /// The next frame of a body that has a form: nghttp2 asks for one frame at a time.
    func takeShaped(
        stream: Int32,
        slot: Int,
        into buffer: UnsafeMutableRawBufferPointer,
        flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard var form = bodyForms[slot] else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
        if form.emptyFrames > 0 {
            form.emptyFrames -= 1
            bodyForms[slot] = form
            return 0
        }
        let size = min(buffer.count, form.pieceSize ?? buffer.count)
        let (count, isEnd) = bodies.take(from: slot, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
        guard isEnd else { return count }
        if form.endsWithEmptyFrame, count > 0 { return count }
        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        guard let trailers = form.trailers else { return count }
        let result = trailers.withNameValues { nghttp2_submit_trailer(session, stream, $0, $1) }
        if result == 0 { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue) }
        return count
    }
}
