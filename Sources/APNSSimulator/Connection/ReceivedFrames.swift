/// Looks through the frames that arrive for what nghttp2 does not report, piece by piece as they come; pure.
///
/// Header blocks are wanted as they stood on the wire, before HPACK is undone, and so are the PINGs that nghttp2 answers
/// by itself.
package struct ReceivedFrames: Sendable {
    /// Something that has arrived.
    package enum Notice: Hashable, Sendable {
        /// A PING that wants an answer.
        case ping
        /// The answer to a PING.
        case pingAnswer
        case goAway(code: UInt32)
        case windowUpdate
        /// A complete header block, its CONTINUATION frames joined, without padding and priority.
        case headerBlock(stream: Int32, bytes: [UInt8])
    }

    private static let prefaceSize = 24
    private static let headerSize = 9

    private let keepsHeaderBlocks: Bool
    /// How much of the client's preface is still to come.
    private var preface = prefaceSize
    private var header: [UInt8] = []
    private var payload: [UInt8] = []
    /// How much of the frame's payload is still to come, and how much of it is kept.
    private var missing = 0
    private var kept = 0
    private var block: [UInt8] = []

    /// - Parameter keepsHeaderBlocks: whether ``Notice/headerBlock(stream:bytes:)`` is wanted.
    package init(keepsHeaderBlocks: Bool) {
        self.keepsHeaderBlocks = keepsHeaderBlocks
    }

    /// Takes the next bytes of the connection.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ note: (Notice) -> Void) {
        var bytes = bytes[...]
        let skipped = min(preface, bytes.count)
        preface -= skipped
        bytes = bytes.dropFirst(skipped)
        while !bytes.isEmpty {
            if header.count < Self.headerSize {
                let part = bytes.prefix(Self.headerSize - header.count)
                header.append(contentsOf: part)
                bytes = bytes.dropFirst(part.count)
                if header.count == Self.headerSize { beginPayload() }
            } else {
                let part = bytes.prefix(missing)
                payload.append(contentsOf: part.prefix(kept - payload.count))
                missing -= part.count
                bytes = bytes.dropFirst(part.count)
            }
            if header.count == Self.headerSize, missing == 0 { endFrame(note) }
        }
    }

    private var type: FrameType? { FrameType(rawValue: header[3]) }
    private var flags: UInt8 { header[4] }
    private var stream: Int32 { Int32(bitPattern: Self.word(header[5...]) & 0x7FFF_FFFF) }

    private mutating func beginPayload() {
        missing = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        switch type {
        case .headers, .continuation: kept = keepsHeaderBlocks ? missing : 0
        case .goAway: kept = min(8, missing)
        default: kept = 0
        }
        payload.removeAll(keepingCapacity: true)
    }

    private mutating func endFrame(_ note: (Notice) -> Void) {
        switch type {
        case .ping: note(flags & FrameFlags.acknowledgement == 0 ? .ping : .pingAnswer)
        case .windowUpdate: note(.windowUpdate)
        case .goAway where payload.count == 8: note(.goAway(code: Self.word(payload[4...])))
        case .headers where keepsHeaderBlocks:
            block = Array(fragment)
            endBlock(note)
        case .continuation where keepsHeaderBlocks:
            block += payload
            endBlock(note)
        default: break
        }
        header.removeAll(keepingCapacity: true)
    }

    private mutating func endBlock(_ note: (Notice) -> Void) {
        guard flags & FrameFlags.endHeaders != 0 else { return }
        note(.headerBlock(stream: stream, bytes: block))
        block = []
    }

    /// The part of a HEADERS frame that HPACK has made (RFC 9113 §6.2).
    private var fragment: ArraySlice<UInt8> {
        var fragment = payload[...]
        if flags & FrameFlags.padded != 0, let padding = fragment.popFirst() {
            fragment.removeLast(min(Int(padding), fragment.count))
        }
        if flags & FrameFlags.priority != 0 { fragment = fragment.dropFirst(5) }
        return fragment
    }

    private static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
