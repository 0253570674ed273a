import Testing
import WaybillCore

@Suite("The time in front of a notification's id")
struct NotificationIDTimeTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let day: Int64 = 86_400_000

    private static func id(_ time: Int64, form: UInt64 = 0x8000) -> NotificationID {
        NotificationID(high: UInt64(time) << 16 | form | 0x123, low: 1 << 63)
    }

    @Test(
        "It is the message's own where it lies near the time of its outcome, and is nobody's elsewhere",
        arguments: [
            (now, now, now), (now - 400 * day, now, now - 400 * day), (now - 400 * day - 1, now, nil),
            (now + day, now, now + day), (now + day + 1, now, nil),
            // An id of a message without a time has bits of the hash in the time's place.
            ((1 << 47) + 12_345, now, nil), ((1 << 48) - 1, now, nil), (0, now, nil),
            (now, .min, nil), (now, .max, nil),
        ] as [(Int64, Int64, Int64?)]
    )
    func near(time: Int64, date: Int64, expected: Int64?) {
        #expect(Self.id(time).messageTime(by: date) == expected)
    }

    @Test("An id that a producer has chosen has none", arguments: [0x4000, 0x7000, 0, 0xF000] as [UInt64])
    func chosen(form: UInt64) {
        #expect(Self.id(Self.now, form: form).messageTime(by: Self.now) == nil)
    }
}
