import Testing
import WaybillCore

@testable import WaybillSettings

@Suite("Small values")
struct ValueTests {
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
        "the nearest name",
        arguments: [
            ("ulr", "url"), ("que_prefix", "queue_prefix"), ("Max_in_flight", "max_in_flight"),
            ("passwort", "password"),
        ]
    )
    func nearest(slip: String, name: String) {
        #expect(NearestName.to(slip, among: ["url", "queue_prefix", "max_in_flight", "password"]) == name)
    }

    @Test("a name that is near to nothing has no nearest", arguments: ["xyz", "level", "q"])
    func nothingNear(word: String) {
        #expect(NearestName.to(word, among: ["url", "queue_prefix", "max_in_flight"]) == nil)
    }

    @Test(
        "listening addresses",
        arguments: [
            ("127.0.0.1:9464", AdminSettings.Listen(host: "127.0.0.1", port: 9464)),
            ("[::1]:80", AdminSettings.Listen(host: "::1", port: 80)),
            ("localhost", nil), ("::1:80", nil), (":80", nil), ("h:0", nil), ("h:65536", nil), ("[]:80", nil),
            ("a/b:80", nil),
        ]
    )
    func listen(text: String, address: AdminSettings.Listen?) {
        #expect(AdminSettings.Listen(text) == address)
    }

    @Test("percent-encoding there and back", arguments: ["", "plain", "p@ss/wörd:%", "a b"])
    func percentEncoding(text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":/@?# ".utf8.contains($0) })
        #expect(PercentEncoding.decode(encoded) == text)
    }
}
