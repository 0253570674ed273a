import Testing
import WaybillEncoding

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "durations",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("30d", .seconds(2_592_000)), ("2w", .seconds(1_209_600)), ("0s", .zero),
        ]
    )
    func durations(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(
        "what is no duration",
        arguments: ["", "5", "s", "-5s", "+5s", "5 s", "1.5h", "5S", "5sec", "٣s", "9999999999s"]
    )
    func noDurations(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        "durations as text",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(1500), "1500ms"), (.seconds(90), "90s"), (.seconds(7200), "2h"),
            (.seconds(604_800), "7d"),
        ]
    )
    func durationTexts(duration: Duration, text: String) {
        #expect(DurationText.text(duration) == text)
    }

    @Test(
        "only the units that are asked for",
        arguments: [("5s", true), ("5m", false), ("5ms", false), ("5h", true)]
    )
    func units(text: String, isTaken: Bool) {
        #expect((DurationText.parse(text, in: [.seconds, .hours]) != nil) == isTaken)
    }

    @Test("the error text names the units that are taken")
    func form() {
        #expect(DurationText.form() == "a duration: a whole number and one of ms, s, m, h, d, w")
        #expect(DurationText.form(in: [.seconds, .hours]) == "a duration: a whole number and one of s, h")
    }

    @Test("one part or several", arguments: [("90s", 90), ("1h30m", 5400), ("1d2h3m4s", 93_784), ("1w", 604_800)])
    func sums(text: String, seconds: Int) {
        #expect(DurationText.sum(text) == .seconds(seconds))
    }

    @Test("a setting has one part", arguments: ["1h30m", "1d12h"])
    func onePart(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test("the longest that can be written does not overflow")
    func longest() {
        #expect(DurationText.parse("999999999w") == .seconds(999_999_999 * 604_800))
    }
}
