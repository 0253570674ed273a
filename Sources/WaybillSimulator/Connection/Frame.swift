/// The frame types of RFC 9113 §6.
enum FrameType: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
}

/// Frame flags; the same bit means different things on different frames.
enum FrameFlags {
    static let acknowledgement: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
}

/// One frame, by its place in a run of whole frames.
struct FramePlace {
    static let headerSize = 9

    let type: UInt8
    /// Where its header begins.
    let start: Int
    let payload: Range<Int>
}

/// The frames of a run of whole frames, in their order (RFC 9113 §4.1).
struct FrameRun: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    mutating func next() -> FramePlace? {
        let start = position
        let payload = start + FramePlace.headerSize
        guard payload <= bytes.endIndex else { return nil }
        let end = payload + (Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2]))
        guard end <= bytes.endIndex else { return nil }
        position = end
        return FramePlace(type: bytes[start + 3], start: start, payload: payload..<end)
    }
}

/// Writes frames that nghttp2 would not.
enum RawFrame {
    /// One frame.
    static func append(type: FrameType, flags: UInt8 = 0, stream: Int32, _ payload: [UInt8], to frames: inout [UInt8]) {
        let count = payload.count
        let id = UInt32(bitPattern: stream)
        frames += [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type.rawValue, flags]
        frames += [UInt8(id >> 24), UInt8(id >> 16 & 255), UInt8(id >> 8 & 255), UInt8(id & 255)]
        frames += payload
    }

    /// A response's header block that goes on in many CONTINUATION frames and does not end.
    static func endlessHeaders(stream: Int32, continuations: Int) -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(64 + continuations * 32)
        // RFC 7541: the static entry `:status: 200`, then literals without indexing, which change no table.
        append(type: .headers, stream: stream, [0x88], to: &frames)
        let literal: [UInt8] = [0x00, 7] + Array("x-flood".utf8) + [1, UInt8(ascii: "x")]
        for _ in 0..<continuations { append(type: .continuation, stream: stream, literal, to: &frames) }
        return frames
    }
}
