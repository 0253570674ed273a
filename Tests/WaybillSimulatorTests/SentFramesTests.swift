import Testing
import WaybillSimulator

@Suite struct SentFramesTests {
    func frame(type: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, 0, 0, 0, 0, stream] + payload
    }

    @Test func findsResetsAndGoAways() {
        let frames =
            frame(type: 0, stream: 1, [3, 3, 3, 3]) + frame(type: 3, stream: 5, [0, 0, 0, 7])
            + frame(type: 7, stream: 0, [0, 0, 0, 1, 0, 0, 0, 1] + Array("x: max concurrent streams exceeded".utf8))
            + frame(type: 7, stream: 0, [0, 0, 0, 1, 0, 0, 0, 2]) + frame(type: 4, stream: 0, [])
        #expect(
            SentFrames.notices(in: frames[...]) == [
                .reset(stream: 5, code: 7), .goAway(code: 1, isStreamLimit: true),
                .goAway(code: 2, isStreamLimit: false),
            ]
        )
    }

    @Test func finishesOnAFrameThatIsCutOff() {
        #expect(SentFrames.notices(in: frame(type: 3, stream: 5, [0, 0, 0, 7]).dropLast()) == [])
        #expect(SentFrames.notices(in: []) == [])
    }
}
