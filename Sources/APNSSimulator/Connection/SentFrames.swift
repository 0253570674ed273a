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

    private static let headerSize = 9
    private static let resetType: UInt8 = 3
    private static let goAwayType: UInt8 = 7
    private static let streamLimitWords = Array("max concurrent streams".utf8)

    /// The RST_STREAM and GOAWAY frames in a run of whole frames.
    package static func notices(in frames: ArraySlice<UInt8>) -> [Notice] {
        var notices: [Notice] = []
        var position = frames.startIndex
        while position + headerSize <= frames.endIndex {
            let length = Int(frames[position]) << 16 | Int(frames[position + 1]) << 8 | Int(frames[position + 2])
            let type = frames[position + 3]
            let end = position + headerSize + length
            guard end <= frames.endIndex else { break }
            if type == resetType, length == 4 {
                let stream = Int32(truncatingIfNeeded: word(frames, at: position + 5) & 0x7FFF_FFFF)
                notices.append(.reset(stream: stream, code: word(frames, at: position + headerSize)))
            } else if type == goAwayType, length >= 8 {
                let debugData = frames[(position + headerSize + 8)..<end]
                let code = word(frames, at: position + headerSize + 4)
                notices.append(.goAway(code: code, isStreamLimit: debugData.contains(run: streamLimitWords)))
            }
            position = end
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
