import Testing
import WaybillEncoding

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (1_795_233_906_789, "2026-11-21T04:05:06.789Z"),
        ] as [(Int64, String)]
    )
    func aDateIsWrittenAndReadAlike(milliseconds: Int64, text: String) {
        #expect(TimeText.text(milliseconds: milliseconds) == text)
        #expect(TimeText.parse(text, now: 0) == milliseconds)
    }

    @Test(
        arguments: [
            ("90s", 999_910_000), ("15m", 999_100_000), ("2h", 992_800_000), ("3d", 740_800_000), ("1w", 395_200_000),
            ("0s", 1_000_000_000), ("1h30m", 994_600_000), ("1d12h", 870_400_000), ("today", 950_400_000),
            ("yesterday", 864_000_000),
            ("2026-11-21", 1_795_219_200_000), ("2026-11-21T04:05", 1_795_233_900_000),
            ("2026-11-21 04:05:06", 1_795_233_906_000), ("2026-11-21T04:05:06.7Z", 1_795_233_906_700),
            ("2026-11-21T04:05:06.78912Z", 1_795_233_906_789), ("2026-11-21T06:05:06+02:00", 1_795_233_906_000),
            ("2026-11-20T22:35:06-05:30", 1_795_233_906_000),
        ] as [(String, Int64)]
    )
    func aTimeIsReadAsPeopleWriteIt(text: String, expected: Int64) {
        #expect(TimeText.parse(text, now: 1_000_000_000) == expected)
    }

    @Test(arguments: [
        "", "h", "2", "-2h", "2 h", "2y", "1.5h", "tomorrow", "2026", "2026-13-01", "2026-02-30", "2026-11-21T",
        "2026-11-21T4:05", "2026-11-21T24:00", "2026-11-21T04:05:06.Z", "2026-11-21T04:05X", "2026-11-21T04:05+2",
        "1h30", "h1", "1h 30m", "1m1m1m1m1m1m1m", "999999999w1ms", "Yesterday",
        "9999999999999999999s", "٣d",
    ])
    func anythingElseIsNoTime(text: String) {
        #expect(TimeText.parse(text, now: 1_000_000_000) == nil)
    }

    /// What something happens at has a zone.
    @Test(
        arguments: [
            ("2026-11-21T04:05Z", 1_795_233_900_000), ("2026-11-21T04:05:06.7Z", 1_795_233_906_700),
            ("2026-11-21T06:05:06+02:00", 1_795_233_906_000), ("2026-11-20T22:35:06.000-05:30", 1_795_233_906_000),
            ("2026-11-21", nil), ("2026-11-21T04:05", nil), ("2026-11-21 04:05", nil), ("2026-11-21T04:05:06", nil),
            ("2026-11-21T04:05:06.789", nil), ("2026-11-21T04:05:06.123456", nil), ("2026-11-21Z", nil),
            ("2026-11-21+01:00", nil), ("2026-11-21T04:05+1", nil), ("2026-11-21T04:05z", nil), ("2h", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func anInstantHasAZone(text: String, expected: Int64?) {
        #expect(TimeText.instant(text) == expected)
    }

    @Test(arguments: [(0, "1970-01-01"), (-1, "1969-12-31"), (1_795_233_906, "2026-11-21")] as [(Int64, String)])
    func aDayIsTheBeginningOfADate(seconds: Int64, text: String) {
        #expect(TimeText.day(seconds: seconds) == text)
    }
}
