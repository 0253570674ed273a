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
        /// A complete header block, its CONTINUATION frames joined, without padding and priority.
        case headerBlock(stream: Int32, bytes: [UInt8])
    }

    private static let prefaceSize = 24
    private static let headerSize = FramePlace.headerSize

    private let keepsHeaderBlocks: Bool
    /// How many of the next bytes mean nothing here: the client's preface, and frames of other types.
    private var skipping = prefaceSize
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
        var bytes = bytes
        while true {
            let skipped = min(skipping, bytes.count)
            skipping -= skipped
            bytes = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
            if bytes.isEmpty { return }
            if header.isEmpty, bytes.count >= Self.headerSize, !isWanted(bytes[3]) {
                // Nearly all frames: not a byte of them is touched.
                skipping = Self.headerSize + Self.length(bytes)
            } else {
                bytes = UnsafeRawBufferPointer(rebasing: bytes[take(from: bytes)...])
                if header.count == Self.headerSize, missing == 0 { endFrame(note) }
            }
        }
    }

    /// Takes bytes of the current frame's header or payload.
    ///
    /// - Returns: how many.
    private mutating func take(from bytes: UnsafeRawBufferPointer) -> Int {
        if header.count < Self.headerSize {
            let part = bytes.prefix(Self.headerSize - header.count)
            header.append(contentsOf: part)
            if header.count == Self.headerSize { beginPayload() }
            return part.count
        }
        let part = bytes.prefix(missing)
        payload.append(contentsOf: part.prefix(kept - payload.count))
        missing -= part.count
        return part.count
    }

    private func isWanted(_ type: UInt8) -> Bool {
        switch FrameType(rawValue: type) {
        case .ping, .goAway: true
        case .headers, .continuation: keepsHeaderBlocks
        default: false
        }
    }

    private static func length(_ header: some RandomAccessCollection<UInt8>) -> Int {
        header.prefix(3).reduce(0) { $0 << 8 | Int($1) }
    }

    private var type: FrameType? { FrameType(rawValue: header[3]) }
    private var flags: UInt8 { header[4] }
    private var stream: Int32 { Int32(bitPattern: Self.word(header[5...]) & 0x7FFF_FFFF) }

    private mutating func beginPayload() {
        missing = Self.length(header)
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
