import Testing

@testable import WaybillTelemetry

struct MetricsPageTests {
    private static let sent = Metric("waybill_sent_total", .counter, "Sent.")
    private static let open = Metric("waybill_open", .gauge, "Open.")
    private static let took = Metric("waybill_took_seconds", .histogram, "Took.")

    @Test func aPageIsThePrometheusTextFormat() {
        var page = MetricsPage()
        page.add(Self.sent, 3, ["lane": "a"])
        page.add(Self.open, 0)
        page.add(Self.sent, 0, ["lane": "b"])
        #expect(
            page.text == """
                # HELP waybill_sent_total Sent.
                # TYPE waybill_sent_total counter
                waybill_sent_total{lane="a"} 3
                waybill_sent_total{lane="b"} 0
                # HELP waybill_open Open.
                # TYPE waybill_open gauge
                waybill_open 0

                """
        )
    }

    @Test func whatIsSetReplacesWhatAnotherPartHasSaid() {
        var page = MetricsPage()
        for end: Int64 in [1_700_000_000, 1_800_000_000] { page.set(Self.open, end, ["lane": "a"]) }
        #expect(page.value("waybill_open", ["lane": "a"]) == 1_800_000_000)
        #expect(page.text.split(separator: "\n").count == 3)
    }

    @Test func everySeriesThatIsSetIsThere() {
        var page = MetricsPage()
        for lane in ["a", "b"] { page.set(Self.open, 1, ["lane": lane]) }
        let lines = page.text.split(separator: "\n").dropFirst(2)
        #expect(lines == [#"waybill_open{lane="a"} 1"#, #"waybill_open{lane="b"} 1"#])
    }

    @Test func aHistogramIsCumulativeAndEndsWithAllOfThem() {
        var histogram = DurationHistogram()
        for milliseconds: UInt64 in [1, 5, 6, 400, 60_000] { histogram.record(nanoseconds: milliseconds * 1_000_000) }
        var page = MetricsPage()
        page.add(Self.took, histogram, ["lane": "a"])
        let lines = page.text.split(separator: "\n").dropFirst(2).map(String.init)
        #expect(lines.first == #"waybill_took_seconds_bucket{lane="a",le="0.005"} 2"#)
        #expect(lines.contains(#"waybill_took_seconds_bucket{lane="a",le="0.01"} 3"#))
        #expect(lines.contains(#"waybill_took_seconds_bucket{lane="a",le="0.25"} 3"#))
        #expect(lines.contains(#"waybill_took_seconds_bucket{lane="a",le="0.5"} 4"#))
        #expect(lines.contains(#"waybill_took_seconds_bucket{lane="a",le="30"} 4"#))
        #expect(
            lines.suffix(3) == [
                #"waybill_took_seconds_bucket{lane="a",le="+Inf"} 5"#, #"waybill_took_seconds_sum{lane="a"} 60.412"#,
                #"waybill_took_seconds_count{lane="a"} 5"#,
            ]
        )
    }

    @Test(arguments: [
        (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("weiß", "weiß"),
    ])
    func aLabelIsEscaped(value: String, text: String) {
        var page = MetricsPage()
        page.add(Self.open, 1, ["lane": value])
        #expect(page.text.hasSuffix("waybill_open{lane=\"\(text)\"} 1\n"))
    }

    @Test(arguments: [
        (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0.25, "0.25"), (1_700_000_000, "1700000000"),
    ])
    func aNumberIsOneThatPrometheusReads(value: Double, text: String) {
        var page = MetricsPage()
        page.add(Self.open, value)
        #expect(page.text.hasSuffix("waybill_open \(text)\n"))
    }

    @Test func whatSeveralPartsReportIsAddedUp() {
        var histogram = DurationHistogram()
        histogram.record(nanoseconds: 1)
        var page = MetricsPage()
        for _ in 0..<2 {
            page.add(Self.sent, 2, ["lane": "a"])
            page.add(Self.took, histogram)
        }
        #expect(page.value("waybill_sent_total", ["lane": "a"]) == 4)
        #expect(page.text.contains("waybill_took_seconds_count 2\n"))
    }

    @Test func ofWhatHasEndedTheCountersStay() {
        var ended = MetricsPage()
        ended.add(Self.sent, 2, ["lane": "gone"])
        ended.add(Self.open, 5)
        var page = MetricsPage()
        page.add(Self.sent, 1, ["lane": "here"])
        page.addCounters(of: ended)
        #expect(page.value("waybill_sent_total", ["lane": "gone"]) == 2)
        #expect(page.value("waybill_sent_total", ["lane": "here"]) == 1)
        #expect(page.value("waybill_open") == nil)
    }
}
