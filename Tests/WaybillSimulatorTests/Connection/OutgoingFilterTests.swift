import Testing

@testable import WaybillSimulator

/// What connection rules about windows make of the frames that leave.
@Suite struct OutgoingFilterTests {
    private static let data: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 5, 7, 7]

    private static func windowUpdate(_ increment: UInt8, stream: UInt8 = 0) -> [UInt8] {
        [0, 0, 4, 8, 0, 0, 0, 0, stream, 0, 0, 0, increment]
    }

    private static let frames = windowUpdate(2) + data + windowUpdate(3, stream: 5)

    @Test(
        arguments: [
            (.pass, frames, []),
            (.keep, data, windowUpdate(2) + windowUpdate(3, stream: 5)),
            // The first alone; the later ones pass.
            (.crumble, windowUpdate(1) + windowUpdate(1) + data + windowUpdate(3, stream: 5), []),
        ] as [(OutgoingFilter.WindowUpdates, [UInt8], [UInt8])]
    )
    func filters(windowUpdates: OutgoingFilter.WindowUpdates, passed: [UInt8], kept: [UInt8]) {
        var filter = OutgoingFilter(windowUpdates)
        #expect(filter.filter(Self.frames) == passed)
        #expect(filter.holdsFrames == !kept.isEmpty)
        #expect(filter.release() == kept)
        #expect(!filter.holdsFrames)
        #expect(filter.filter(Self.frames) == Self.frames)
    }

    @Test func aWindowUpdateOfAnotherSizeIsNone() {
        var filter = OutgoingFilter(.keep)
        let short: [UInt8] = [0, 0, 3, 8, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(filter.filter(short) == short)
        #expect(!filter.holdsFrames)
    }
}
