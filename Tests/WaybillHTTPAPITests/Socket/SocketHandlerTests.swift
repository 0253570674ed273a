import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import WaybillHTTPAPI

/// The rules of RFC 6455, frame by frame, and the times of a socket, without waiting for them.
struct SocketHandlerTests {
    /// One end of a socket in a channel without a network.
    private struct Rig {
        let channel = EmbeddedChannel()
        let pipe: SocketPipe
        let tally = SocketTally()

        init() throws {
            pipe = SocketPipe(channel)
            try channel.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: SocketLimits.messageBytes)),
                WebSocketFrameEncoder(), SocketHandler(pipe, tally),
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// What the client sends, each part by itself.
        func take(_ parts: [[UInt8]]) throws { for part in parts { try channel.writeInbound(ByteBuffer(bytes: part)) } }

        func sent() throws -> [SocketFrame.Sent] {
            var bytes: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
            return SocketFrame.read(bytes)
        }

        func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }

    private static let text = SocketFrame.bytes(1, Array("{}".utf8))
    private static let long = [UInt8](repeating: 0x20, count: 40_000)

    private static let broken: [(name: String, parts: [[UInt8]], code: Int)] = [
        ("no mask", [SocketFrame.bytes(1, [0x7B], isMasked: false)], 1002),
        ("a ping without a mask", [SocketFrame.bytes(9, isMasked: false)], 1002),
        ("the first reserved bit", [SocketFrame.bytes(1, [0x7B], reserved: 4)], 1002),
        ("the second reserved bit", [SocketFrame.bytes(1, [0x7B], reserved: 2)], 1002),
        ("the third reserved bit", [SocketFrame.bytes(9, reserved: 1)], 1002),
        ("a reserved opcode", [SocketFrame.bytes(3)], 1002),
        ("a reserved opcode of control", [SocketFrame.bytes(11)], 1002),
        ("nothing to go on with", [SocketFrame.bytes(0, [0x7B])], 1002),
        ("a message within a message", [SocketFrame.bytes(1, [0x7B], isLast: false), text], 1002),
        ("a ping in parts", [SocketFrame.bytes(9, isLast: false)], 1002),
        ("a long ping", [SocketFrame.bytes(9, [UInt8](repeating: 0, count: 126))], 1002),
        ("a close frame of one byte", [SocketFrame.bytes(8, [3])], 1002),
        ("a code that nobody sends", [SocketFrame.close(1005)], 1002),
        ("a code of no meaning", [SocketFrame.close(999)], 1002),
        ("a reason that is no text", [SocketFrame.close(1000, [0xFF])], 1007),
        ("bytes", [SocketFrame.bytes(2, [0])], 1003),
        ("a text that is none", [SocketFrame.bytes(1, [0xC3, 0x28])], 1007),
        ("half a character", [SocketFrame.bytes(1, [0xC3], isLast: false), SocketFrame.bytes(0)], 1007),
        ("a long frame, of which the head is enough", [[0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4]], 1009),
        ("a length that no number has", [[0x81, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]], 1009),
        ("a long message", [SocketFrame.bytes(1, long, isLast: false), SocketFrame.bytes(0, long)], 1009),
        (
            "a message without an end",
            [SocketFrame.bytes(1, isLast: false)] + Array(repeating: SocketFrame.bytes(0, isLast: false), count: 100),
            4429
        ),
        ("many pings", Array(repeating: SocketFrame.bytes(9), count: 100), 4429),
        ("many messages that nobody takes", Array(repeating: text, count: 20), 4429),
    ]

    @Test(arguments: broken)
    func whatBreaksARuleEndsTheSocket(name: String, parts: [[UInt8]], code: Int) throws {
        let rig = try Rig()
        try rig.take(parts)
        let last = try #require(try rig.sent().last)
        #expect(last.code == code, "\(name)")
        #expect(last.data.count > 2 && last.data.count <= 125, "\(name)")
        let ends = SocketTally.End.allCases.filter { rig.tally.number($0) > 0 }
        #expect(ends.map(\.name) == ["\(code)"])
        // What comes behind it is nobody's; and who does not close, is closed.
        try rig.take([Self.text])
        #expect(rig.channel.isActive)
        rig.wait(.seconds(2))
        #expect(!rig.channel.isActive)
        #expect(try rig.sent().isEmpty)
    }

    @Test func aMessageInPartsIsWholeWithAPingBetweenThem() async throws {
        let rig = try Rig()
        let text = Array("ž".utf8)
        try rig.take([
            SocketFrame.bytes(1, [text[0]], isLast: false), SocketFrame.bytes(9, [1, 2, 3]),
            SocketFrame.bytes(0, [text[1]]),
        ])
        #expect(try rig.sent() == [SocketFrame.Sent(opcode: 10, data: [1, 2, 3])])
        // A byte at a time it is the same.
        try rig.take(SocketFrame.text("a").map { [$0] })
        rig.pipe.finish()
        var messages: [String] = []
        for await message in rig.pipe.messages { messages.append(message) }
        #expect(messages == ["ž", "a"])
    }

    @Test(arguments: [[UInt8](), [0x03, 0xE8], [0x0F, 0xA0] + Array("gone".utf8)])
    func whoClosesGetsTheCodeBack(data: [UInt8]) throws {
        let rig = try Rig()
        try rig.take([SocketFrame.bytes(8, data)])
        #expect(try rig.sent() == [SocketFrame.Sent(opcode: 8, data: Array(data.prefix(2)))])
        #expect(!rig.channel.isActive)
        #expect(rig.tally.number(.client) == 1 && rig.tally.number(.lost) == 0)
    }

    @Test func whoIsClosedAndClosesIsNotWaitedFor() throws {
        let rig = try Rig()
        rig.pipe.close(.goingAway)
        // The first reason counts.
        rig.pipe.close(.slow)
        #expect(try rig.sent().map(\.code) == [1001])
        try rig.take([SocketFrame.close(1001)])
        #expect(!rig.channel.isActive)
        #expect(rig.tally.number(.server(.goingAway)) == 1 && rig.tally.number(.client) == 0)
    }

    @Test func nothingIsKeptForWhoReadsNothing() throws {
        let rig = try Rig()
        rig.channel.isWritable = false
        try rig.take(Array(repeating: SocketFrame.bytes(9), count: 20))
        rig.channel.isWritable = true
        try rig.take([SocketFrame.bytes(9, [1])])
        #expect(try rig.sent() == [SocketFrame.Sent(opcode: 10, data: [1])])
    }

    @Test func whoSaysNothingIsClosed() throws {
        let rig = try Rig()
        // A ping is no message.
        try rig.take([SocketFrame.bytes(9)])
        rig.wait(.seconds(9))
        #expect(try rig.sent().count == 1)
        rig.wait(.seconds(1))
        #expect(try rig.sent().map(\.code) == [4408])
    }

    @Test func whoAnswersNoPingIsClosed() throws {
        let rig = try Rig()
        try rig.take([Self.text])
        rig.wait(.seconds(30))
        let ping = try #require(try rig.sent().last)
        #expect(ping.opcode == 9 && ping.data.count == 8)
        rig.wait(.seconds(9))
        try rig.take([SocketFrame.bytes(10, ping.data)])
        rig.wait(.seconds(29))
        #expect(try rig.sent().isEmpty)
        rig.wait(.seconds(1))
        let next = try #require(try rig.sent().last)
        #expect(next.opcode == 9 && next.data != ping.data)
        // Neither the pong before nor a message shows that this one was read.
        try rig.take([SocketFrame.bytes(10, ping.data), Self.text])
        rig.wait(.seconds(10))
        #expect(try rig.sent().map(\.code) == [4408])
    }

    @Test func aConnectionThatEndsWithoutAWordIsCounted() async throws {
        let rig = try Rig()
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!rig.channel.isActive)
        #expect(rig.tally.number(.lost) == 1)
        for await message in rig.pipe.messages { Issue.record("\(message)") }
    }
}
