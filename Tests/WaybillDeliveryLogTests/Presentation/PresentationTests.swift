import Testing
import WaybillCore
import WaybillMongo

@testable import WaybillDeliveryLog

@Suite struct PresentationTests {
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
        #expect(DeliveryJSON.line(LoggedDelivery(document: document)) == expected)
    }

    @Test func everyOutcomeIsExplained() {
        let texts = Outcome.allCases.map { DeliveryExplanation.text($0, provider: "Post") }
        #expect(Set(texts).count == Outcome.allCases.count)
        let dead = BSONDocument { writer in
            writer.append("outcome", string: "token_invalid")
            writer.append("reason", string: "Moved")
        }
        let text = DeliveryExplanation.text(LoggedDelivery(document: dead), provider: "Post", advice: "stop sending")
        #expect(text.hasPrefix(DeliveryExplanation.text(.tokenInvalid, provider: "Post")))
        #expect(text.hasPrefix("Post refused the device token"))
        #expect(text.hasSuffix("; stop sending"))
        func unsent(_ outcome: String = "cancelled", attempts: Int, isRepeat: Bool = false) -> String {
            let record = BSONDocument { writer in
                writer.append("outcome", string: outcome)
                if isRepeat { writer.append("repeat", bool: true) }
                writer.append("attempts", int: attempts)
            }
            return DeliveryExplanation.text(LoggedDelivery(document: record), provider: "Post", advice: nil)
        }
        #expect(unsent(attempts: 0).hasPrefix("not sent"))
        #expect(unsent(attempts: 1).hasPrefix("sent before"))
        #expect(unsent("superseded", attempts: 0).hasPrefix("not sent: a newer notification"))
        #expect(unsent("superseded", attempts: 1).hasPrefix("refused before, and not sent again: a newer"))
        // Who had it first may have sent it: nobody says that it was not.
        #expect(unsent(attempts: 0, isRepeat: true).hasSuffix("which may have sent it"))
    }
}
