/// Looks through the frames that leave for those that nghttp2 sent of its own accord; pure.
///
/// nghttp2 enforces the stream limit and the protocol before a request becomes visible here: while the client has not
/// yet acknowledged a limit it refuses the stream, afterwards it ends the connection. The frames are the only trace.
package enum SentFrames {
    /// Something that leaves.
    package enum Notice: Hashable, Sendable {
        case reset(stream: Int32, code: UInt32)
        case goAway(code: UInt32, isStreamLimit: Bool)
    }

    private static let streamLimitWords = Array("max concurrent streams".utf8)

    /// The RST_STREAM and GOAWAY frames in a run of whole frames.
    package static func notices(in frames: ArraySlice<UInt8>) -> [Notice] {
        var notices: [Notice] = []
        for frame in FrameRun(frames) {
            let payload = frame.payload
            if frame.type == FrameType.reset.rawValue, payload.count == 4 {
                let stream = Int32(truncatingIfNeeded: word(frames, at: frame.start + 5) & 0x7FFF_FFFF)
                notices.append(.reset(stream: stream, code: word(frames, at: payload.lowerBound)))
            } else if frame.type == FrameType.goAway.rawValue, payload.count >= 8 {
                let debugData = frames[payload].dropFirst(8)
                let code = word(frames, at: payload.lowerBound + 4)
                notices.append(.goAway(code: code, isStreamLimit: debugData.contains(run: streamLimitWords)))
            }
        }
        return notices
    }

    private static func word(_ bytes: ArraySlice<UInt8>, at position: Int) -> UInt32 {
        bytes[position..<(position + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(run: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: run) }
    }
}
