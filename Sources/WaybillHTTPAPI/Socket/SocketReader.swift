import NIOCore
import NIOWebSocket

/// What a client's frames say: the rules of RFC 6455 for whoever is a server and speaks no extension.
///
/// The decoder in front of it knows how long a frame is, and that frames of control are short and whole.
struct SocketReader {
    enum Heard: Hashable {
        /// A part of a message that has not ended.
        case nothing
        case message(String)
        case ping(ByteBuffer)
        case pong(ByteBuffer)
        /// The client closes; with the code that the answer has, too, if it has said one.
        case close(UInt16?)
    }

    /// The parts of a message so far; `nil` between messages.
    private var parts: ByteBuffer?

    /// Takes the next frame.
    ///
    /// - Throws: why the socket ends.
    mutating func take(_ frame: WebSocketFrame) throws(SocketClose) -> Heard {
        guard frame.maskKey != nil else { throw SocketClose(.protocolError, "a client's frames have a mask") }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            throw SocketClose(.protocolError, "a reserved bit is set, and no extension was agreed on")
        }
        let data = frame.unmaskedData
        switch frame.opcode {
        case .text:
            guard parts == nil else { throw SocketClose(.protocolError, "a message begins within another one") }
            return try take(part: data, isLast: frame.fin)
        case .continuation:
            guard parts != nil else { throw SocketClose(.protocolError, "there is no message to go on with") }
            return try take(part: data, isLast: frame.fin)
        case .binary: throw SocketClose(.notText, "messages are texts here")
        case .ping: return .ping(data)
        case .pong: return .pong(data)
        case .connectionClose: return .close(try Self.code(data))
        default: throw SocketClose(.protocolError, "this opcode is reserved")
        }
    }

    private mutating func take(part: ByteBuffer, isLast: Bool) throws(SocketClose) -> Heard {
        var message = parts ?? ByteBuffer()
        guard message.readableBytes + part.readableBytes <= SocketLimits.messageBytes else { throw Self.tooLarge }
        message.writeImmutableBuffer(part)
        guard isLast else {
            parts = message
            return .nothing
        }
        parts = nil
        guard let text = String(validating: message.readableBytesView, as: UTF8.self) else {
            throw SocketClose(.notUnicode, "a text is UTF-8")
        }
        return .message(text)
    }

    static let tooLarge = SocketClose(.tooLarge, "a message has \(SocketLimits.messageBytes) bytes at most")

    /// The codes that a client may say (RFC 6455, 7.4, and the registry).
    private static let codes: [ClosedRange<UInt16>] = [1000...1003, 1007...1014, 3000...4999]

    private static func code(_ data: ByteBuffer) throws(SocketClose) -> UInt16? {
        guard data.readableBytes > 0 else { return nil }
        guard let code = data.getInteger(at: data.readerIndex, as: UInt16.self),
            codes.contains(where: { $0.contains(code) })
        else { throw SocketClose(.protocolError, "a close frame begins with a code that may be sent") }
        guard String(validating: data.readableBytesView.dropFirst(2), as: UTF8.self) != nil else {
            throw SocketClose(.notUnicode, "the reason of a close frame is UTF-8")
        }
        return code
    }
}
