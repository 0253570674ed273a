import Testing
import WaybillDeliveryLog
import WaybillMongo

@testable import WaybillOperations

struct RepeatCauseTests {
    private func record(
        _ outcome: String,
        provider: String? = "fcm",
        status: Int? = nil,
        history: [Int?] = [],
        isRepeat: Bool = true
    ) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: outcome)
                if let provider { writer.append("provider", string: provider) }
                if let status { writer.append("status_code", int: status) }
                writer.append("attempts", int: max(1, history.count))
                if isRepeat { writer.append("repeat", bool: true) }
                writer.append(
                    "history",
                    array: { array in
                        for status in history {
                            array.append(document: { attempt in
                                attempt.append("date", date: 1_795_233_900_000)
                                if let status { attempt.append("status_code", int: status) }
                            })
                        }
                    }
                )
            }
        )
    }

    @Test func theRecordsOwnAttemptsTellWhy() {
        #expect(RepeatCause(record("accepted", status: 200, history: [502, 200])) == .followed("502"))
        #expect(RepeatCause(record("accepted", provider: nil, status: 200, history: [500, 200])) == .followed("500"))
        #expect(RepeatCause(record("accepted", status: 200, history: [nil, 200])) == .followed("no answer"))
        #expect(RepeatCause(record("accepted", status: 200, history: [503, 200])) == .redelivery)
        #expect(RepeatCause(record("accepted", status: 200)) == .redelivery)
        #expect(RepeatCause(record("unknown", history: [503, nil])) == .redelivery)
        // Two that were certainly sent are told apart from one that only may have been.
        #expect(RepeatCause(record("accepted", status: 200, history: [502, 200, 200])) == .acceptedTwice)
        #expect(RepeatCause(record("accepted", status: 200, history: [502, 200], isRepeat: false)) == nil)
    }

    @Test func whatToDoNamesTheReason() {
        func next(_ record: LoggedDelivery) -> String? {
            StoryAdvice.next(of: record, verdict: nil, registry: []).last
        }
        #expect(
            next(record("accepted", status: 200, history: [502, 200]))
                == "An attempt ended with 502 and may have reached the service: the push may have gone out twice."
        )
        #expect(
            next(record("accepted", status: 200)) == "Its message came back once: the push may have gone out twice."
        )
        // A superseded notification was not pushed a second time.
        let superseded = "Nothing: a newer notification was accepted in its place. Its id is in the reason."
        #expect(next(record("superseded", history: [502])) == superseded)
        #expect(!StoryAdvice.wasPushed(record("superseded")))
        let cancelled = record("cancelled", history: [502], isRepeat: false)
        #expect(
            !DeliveryExplanation.text(cancelled, provider: "FCM", advice: nil).contains("ended without a word")
        )
    }
}
