import Testing
import WaybillAPNS
import WaybillCore
import WaybillMongo

@testable import WaybillDeliveryLog

@Suite struct PresentationTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (1_795_233_906_789, "2026-11-21T04:05:06.789Z"),
        ] as [(Int64, String)]
    )
    func aDateIsWrittenAndReadAlike(milliseconds: Int64, text: String) {
        #expect(DeliveryTime.text(milliseconds: milliseconds) == text)
        #expect(DeliveryTime.parse(text, now: 0) == milliseconds)
    }

    @Test(
        arguments: [
            ("90s", 999_910_000), ("15m", 999_100_000), ("2h", 992_800_000), ("3d", 740_800_000), ("1w", 395_200_000),
            ("0s", 1_000_000_000),
            ("2026-11-21", 1_795_219_200_000), ("2026-11-21T04:05", 1_795_233_900_000),
            ("2026-11-21 04:05:06", 1_795_233_906_000), ("2026-11-21T04:05:06.7Z", 1_795_233_906_700),
            ("2026-11-21T04:05:06.78912Z", 1_795_233_906_789), ("2026-11-21T06:05:06+02:00", 1_795_233_906_000),
            ("2026-11-20T22:35:06-05:30", 1_795_233_906_000),
        ] as [(String, Int64)]
    )
    func aTimeIsReadAsPeopleWriteIt(text: String, expected: Int64) {
        #expect(DeliveryTime.parse(text, now: 1_000_000_000) == expected)
    }

    @Test(arguments: [
        "", "h", "2", "-2h", "2 h", "2y", "1.5h", "tomorrow", "2026", "2026-13-01", "2026-02-30", "2026-11-21T",
        "2026-11-21T4:05", "2026-11-21T24:00", "2026-11-21T04:05:06.Z", "2026-11-21T04:05X", "2026-11-21T04:05+2",
        "9999999999999999999s", "٣d",
    ])
    func anythingElseIsNoTime(text: String) {
        #expect(DeliveryTime.parse(text, now: 1_000_000_000) == nil)
    }

    @Test func aLineOfJSONHasTheFieldsOfTheRecord() {
        let document = BSONDocument { writer in
            writer.append("_id", uuid: 0x0123_4567_89ab_8def, 0x8123_4567_89ab_cdef)
            writer.append("message", string: "\"a\\\n\u{0}é🚚")
            writer.append("date", date: 1_795_233_906_789)
            writer.append("attempts", int: 2)
            writer.append("latency_ms", double: 12.345)
            writer.append("repeat", bool: true)
            writer.append("history", array: { $0.append(document: { $0.append("status_code", int: 503) }) })
        }
        let expected = #"""
            {"_id":"01234567-89ab-8def-8123-456789abcdef","message":"\"a\\\n\u0000é🚚",\#
            "date":"2026-11-21T04:05:06.789Z","attempts":2,"latency_ms":12.345,"repeat":true,\#
            "history":[{"status_code":503}]}
            """#
        #expect(DeliveryJSON.line(DeliveryDocument(document)) == expected)
    }

    @Test func everyOutcomeIsExplained() {
        let texts = Outcome.allCases.map { DeliveryExplanation.text($0) }
        #expect(Set(texts).count == Outcome.allCases.count)
        let dead = BSONDocument { writer in
            writer.append("outcome", string: "token_invalid")
            writer.append("reason", string: "Unregistered")
        }
        let text = DeliveryExplanation.text(DeliveryDocument(dead))
        #expect(text.hasPrefix(DeliveryExplanation.text(.tokenInvalid)))
        #expect(text.contains("stop sending"))
    }
}
