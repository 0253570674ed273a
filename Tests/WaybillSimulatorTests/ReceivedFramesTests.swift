import Testing
import WaybillSimulator

@Suite struct ReceivedFramesTests {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    static let traffic =
        preface + frame(4) + frame(1, flags: 0x5, stream: 1, [1, 2, 3]) + frame(0, flags: 1, stream: 1, [9, 9])
        // Padding of two bytes, priority, and two CONTINUATION frames.
        + frame(1, flags: 0x28, stream: 3, [2, 0, 0, 0, 0, 16, 7, 8, 0, 0]) + frame(9, stream: 3, [9])
        + frame(9, flags: 0x4, stream: 3, [10, 11]) + frame(6, Array(repeating: 0, count: 8))
        + frame(6, flags: 1, Array(repeating: 0, count: 8)) + frame(8, [0, 0, 0, 1])
        + frame(7, [0, 0, 0, 0, 0, 0, 0, 11, 65, 66])

    static var expected: [ReceivedFrames.Notice] {
        [
            .headerBlock(stream: 1, bytes: [1, 2, 3]), .headerBlock(stream: 3, bytes: [7, 8, 9, 10, 11]), .ping,
            .pingAnswer, .goAway(code: 11),
        ]
    }

    func notices(_ bytes: [UInt8], pieces: Int, keepsHeaderBlocks: Bool = true) -> [ReceivedFrames.Notice] {
        var frames = ReceivedFrames(keepsHeaderBlocks: keepsHeaderBlocks)
        var notices: [ReceivedFrames.Notice] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { piece in
                frames.receive(piece) { notices.append($0) }
            }
        }
        return notices
    }

    @Test(arguments: [1, 2, 3, 7, 9, 10, 1000])
    func readsFramesHoweverTheyAreCut(pieces: Int) {
        #expect(notices(Self.traffic, pieces: pieces) == Self.expected)
    }

    @Test func keepsBlocksOnlyWhereAsked() {
        #expect(notices(Self.traffic, pieces: 5, keepsHeaderBlocks: false) == Array(Self.expected.dropFirst(2)))
    }

    @Test func survivesFramesThatAreTooShort() {
        let bytes = Self.preface + Self.frame(7, [1]) + Self.frame(1, flags: 0xC, stream: 1, [200]) + Self.frame(6)
        #expect(notices(bytes, pieces: 4) == [.headerBlock(stream: 1, bytes: []), .ping])
    }
}
