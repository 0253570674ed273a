import Testing

@testable import WaybillDeliveryLog

struct PageScanTests {
    private struct Case {
        var window: Int
        var took: Duration
        var left: Duration
        var next: Int
    }

    @Test func aWindowIsAsLargeAsTheTimeThatIsLeft() {
        let cases = [
            // Four times as many, if there is time for that.
            Case(window: 2_000, took: .milliseconds(5), left: .milliseconds(115), next: 8_000),
            Case(window: 32_000, took: .milliseconds(5), left: .milliseconds(115), next: 32_000),
            // As many as there is time for, at the pace of those before.
            Case(window: 8_000, took: .milliseconds(40), left: .milliseconds(60), next: 12_000),
            Case(window: 8_000, took: .milliseconds(80), left: .milliseconds(40), next: 4_000),
            // The smallest, for who goes on.
            Case(window: 8_000, took: .milliseconds(100), left: .zero, next: 2_000),
            Case(window: 8_000, took: .milliseconds(100), left: .milliseconds(-5), next: 2_000),
            Case(window: 2_000, took: .zero, left: .seconds(5), next: 8_000),
        ]
        for test in cases {
            #expect(PageScan.window(after: test.window, taking: test.took, left: test.left) == test.next, "\(test)")
        }
    }
}
