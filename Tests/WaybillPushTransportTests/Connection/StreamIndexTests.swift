import Testing

@testable import WaybillPushTransport

@Suite("The index of open streams")
struct StreamIndexTests {
    @Test("Agrees with a dictionary, whichever streams stay open", arguments: [1, 7, 60, 63, 64, 65, 300])
    func likeADictionary(stays: Int) {
        var index = StreamIndex()
        var model: [Int32: Int] = [:]
        var generator = SystemRandomNumberGenerator()
        var next: Int32 = 1
        for turn in 0..<4_000 {
            let isFull = model.count >= stays
            // The oldest streams stay longest, so that later ones come round to their cells.
            if isFull, let stream = model.keys.sorted().suffix(max(1, stays / 2)).randomElement(using: &generator) {
                index.remove(stream)
                model[stream] = nil
            } else {
                index.insert(next, slot: turn)
                model[next] = turn
                next += 2
            }
            #expect(index.count == model.count)
        }
        for stream in stride(from: Int32(1), to: next, by: 2) {
            #expect(index.slot(of: stream) == model[stream])
        }
    }

    @Test("Streams that share a home are all found, in whatever order they leave")
    func oneHome() {
        // 64 cells: every 128th stream id has the same home.
        let streams =
            Array(stride(from: Int32(1), to: 2_561, by: 128)) + Array(stride(from: Int32(3), to: 643, by: 128))
        for offset in streams.indices {
            var index = StreamIndex()
            for (slot, stream) in streams.enumerated() { index.insert(stream, slot: slot) }
            let order = streams[offset...] + streams[..<offset]
            for (position, stream) in order.enumerated() {
                index.remove(stream)
                #expect(index.slot(of: stream) == nil)
                for left in order.dropFirst(position + 1) {
                    #expect(index.slot(of: left) == streams.firstIndex(of: left))
                }
            }
        }
    }

    @Test("Removing a stream that is not there changes nothing")
    func stranger() {
        var index = StreamIndex()
        index.insert(1, slot: 4)
        index.remove(3)
        index.remove(129)
        #expect(index.count == 1)
        #expect(index.slot(of: 1) == 4)
    }
}
