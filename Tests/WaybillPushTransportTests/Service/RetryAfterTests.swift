import Testing

@testable import WaybillPushTransport

@Suite("How long an answer asks to wait")
struct RetryAfterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let value: String
        var date: String?
        let wait: Duration?

        var testDescription: String { "\(value), \(date ?? "no date")" }
    }

    static let noon: Int64 = 784_111_777  // Sun, 06 Nov 1994 08:49:37 GMT

    static let rows: [Row] = [
        Row(value: "0", wait: .zero),
        Row(value: "120", wait: .seconds(120)),
        Row(value: "0120", wait: .seconds(120)),
        Row(value: "3600", wait: .seconds(3600)),
        Row(value: "3601", wait: .seconds(3600)),
        Row(value: "99999999999999999999999999", wait: .seconds(3600)),
        Row(value: "", wait: nil),
        Row(value: "-1", wait: nil),
        Row(value: "+1", wait: nil),
        Row(value: "1.5", wait: nil),
        Row(value: "1 ", wait: nil),
        Row(value: "soon", wait: nil),
        Row(value: "Sun, 06 Nov 1994 08:49:47 GMT", wait: .seconds(10)),
        Row(value: "Sunday, 06-Nov-94 08:49:47 GMT", wait: .seconds(10)),
        Row(value: "Sun Nov  6 08:49:47 1994", wait: .seconds(10)),
        Row(value: "Sun, 06 Nov 1994 08:49:27 GMT", wait: .zero),
        Row(value: "Fri, 31 Dec 9999 23:59:59 GMT", wait: .seconds(3600)),
        Row(value: "Thu, 01 Jan 1970 00:00:00 GMT", wait: .zero),
        // The server's clock is an hour ahead of ours: its own date counts.
        Row(value: "Sun, 06 Nov 1994 09:49:47 GMT", date: "Sun, 06 Nov 1994 09:49:37 GMT", wait: .seconds(10)),
        Row(value: "Sun, 06 Nov 1994 08:49:47 GMT", date: "yesterday", wait: .seconds(10)),
        Row(value: "Sun, 06 Nov 1994 08:49:47", wait: nil),
        Row(value: "Sun, 06 Nov 1994 08:49:47 CET", wait: nil),
        Row(value: "Sun, 32 Nov 1994 08:49:47 GMT", wait: nil),
        Row(value: "Sun, 06 Nob 1994 08:49:47 GMT", wait: nil),
        Row(value: "Sun, 06 Nov 1994 24:49:47 GMT", wait: nil),
        Row(value: "Sun, 06 Nov 1994 08:49 GMT", wait: nil),
        Row(value: "Sun, 06 Nov 1994 08:-9:47 GMT", wait: nil),
    ]

    @Test("Both forms are read, bounded, and nonsense asks for nothing", arguments: rows)
    func table(row: Row) {
        #expect(RetryAfter.wait(row.value, date: row.date, at: Self.noon) == row.wait)
    }

    @Test(
        "Dates are counted in the calendar that everybody uses",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Mon, 31 Dec 2035 23:59:59 GMT", 2_082_758_399),
            ("Sunday, 22-Nov-26 02:27:55 GMT", 1_795_314_475), ("Sun Nov 22 02:27:55 2026", 1_795_314_475),
        ] as [(String, Int64)]
    )
    func dates(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }
}
