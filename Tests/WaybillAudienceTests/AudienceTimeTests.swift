import Testing

@testable import WaybillAudience

/// By which time orders are held against an audience and its pages, from tables.
struct AudienceTimeTests {
    @Test(
        "an audience was published by its own time, and by when it was taken at the latest",
        arguments: [
            (7000, 9000, 7000, true), (9000, 9000, 9000, true), (12_000, 9000, 9000, true), (nil, 9000, 9000, false),
        ] as [(Int64?, Int64, Int64, Bool)]
    )
    func time(published: Int64?, entered: Int64, milliseconds: Int64, isOwn: Bool) {
        let time = AudienceTime(published: published, entered: entered)
        #expect((time.milliseconds, time.isOwn) == (milliseconds, isOwn))
    }

    @Test(
        "whoever orders something after the audience was published, and after the orders were read, means its page",
        arguments: [
            (7000, 9900, 9), (9950, 9900, 9), (10_000, 9900, 10), (nil, 9900, 9),
        ] as [(Int64?, Int64, Int64)]
    )
    func page(published: Int64?, ordersRead: Int64, seconds: Int64) {
        let time = AudienceTime(published: published, entered: 10_300)
        #expect(time.page(ordersRead: ordersRead) == seconds)
    }
}
