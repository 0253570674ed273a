/// Frames of a WebSocket, made and read byte by byte by RFC 6455, 5.2: nothing here is the server's.
enum SocketFrame {
    /// What a server has sent.
    struct Sent: Equatable {
        let opcode: UInt8
        let data: [UInt8]

        var text: String { String(decoding: data, as: UTF8.self) }
        /// The code of a close frame.
        var code: Int? {
            opcode == 8 && data.count >= 2 ? Int(data[0]) << 8 | Int(data[1]) : nil
        }
    }

    static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A client's frame.
    static func bytes(
        _ opcode: UInt8,
        _ data: [UInt8] = [],
        isLast: Bool = true,
        reserved: UInt8 = 0,
        isMasked: Bool = true
    ) -> [UInt8] {
        var bytes = [(isLast ? 0x80 : 0) | reserved << 4 | opcode]
        let bit: UInt8 = isMasked ? 0x80 : 0
        switch data.count {
        case ..<126: bytes.append(bit | UInt8(data.count))
        case ..<65_536: bytes += [bit | 126, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        default:
            bytes.append(bit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: data.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + data }
        return bytes + mask + data.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    static func text(_ text: String) -> [UInt8] { bytes(1, Array(text.utf8)) }

    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        bytes(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    /// What a server has sent, as far as it has come; its frames are whole, and have no mask.
    static func read(_ bytes: some Collection<UInt8>) -> [Sent] {
        var (rest, frames) = (Array(bytes)[...], [Sent]())
        while rest.count >= 2 {
            let first = rest.startIndex
            var (length, head) = (Int(rest[first + 1]), 2)
            if length == 126 {
                guard rest.count >= 4 else { break }
                (length, head) = (Int(rest[first + 2]) << 8 | Int(rest[first + 3]), 4)
            }
            guard rest.count >= head + length else { break }
            frames.append(Sent(opcode: rest[first] & 0x0F, data: Array(rest[(first + head)...].prefix(length))))
            rest = rest.dropFirst(head + length)
        }
        return frames
    }
}
