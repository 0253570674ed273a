import Testing
import WaybillSimulator

@Suite struct DocumentedReasonTests {
    @Test func everyReasonHasItsStatus() {
        let byStatus = Dictionary(grouping: DocumentedReason.allCases, by: \.status).mapValues(\.count)
        #expect(byStatus == [400: 22, 403: 9, 404: 1, 405: 1, 410: 2, 413: 1, 429: 2, 500: 1, 503: 2])
    }

    @Test func writesBodies() {
        func body(_ answer: SimulatorAnswer) -> String { String(decoding: answer.bodyBytes(now: 17), as: UTF8.self) }
        #expect(body(.accepted) == "")
        #expect(body(.documented(.badTopic)) == #"{"reason":"BadTopic"}"#)
        #expect(body(.documented(.unregistered)) == #"{"reason":"Unregistered","timestamp":17}"#)
        #expect(
            body(SimulatorAnswer(status: 410, reason: "Unregistered", timestamp: .at(1_700_000_000_000)))
                == #"{"reason":"Unregistered","timestamp":1700000000000}"#
        )
        #expect(body(SimulatorAnswer(status: 400, reason: "a\"b\\c\n")) == #"{"reason":"a\"b\\c\n"}"#)
        #expect(body(SimulatorAnswer(status: 500, reason: "X", body: "<html>")) == "<html>")
    }
}
