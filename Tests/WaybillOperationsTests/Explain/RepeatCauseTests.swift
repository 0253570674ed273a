import Testing
import WaybillDeliveryLog
import WaybillFCM
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
        #expect(RepeatCause(record("accepted", status: 200, history: [502, 200])) == .failedOver(status: 502))
        #expect(RepeatCause(record("deferred", status: 500)) == .failedOver(status: 500))
        #expect(RepeatCause(record("accepted", status: 200, history: [503, 200])) == .redelivery)
        #expect(RepeatCause(record("accepted", status: 200)) == .redelivery)
        #expect(RepeatCause(record("accepted", provider: nil, status: 200, history: [500, 200])) == .redelivery)
        #expect(RepeatCause(record("accepted", status: 200, history: [502, 200], isRepeat: false)) == nil)
    }

    @Test func theDoubtfulAnswersAreThoseThatFCMMayHaveTaken() {
        let doubtful = (200...599).filter { FCMMeaning(status: $0, body: FCMAnswerBody()).mayHaveBeenTaken }
        #expect(Set(doubtful) == RepeatCause.doubtfulStatuses)
    }

    @Test func whatToDoNamesTheReason() {
        func next(_ record: LoggedDelivery) -> String? {
            StoryAdvice.next(of: record, verdict: nil, registry: []).last
        }
        #expect(
            next(record("accepted", status: 200, history: [502, 200]))
                == "FCM answered 502 to an attempt that it may have taken all the same: the push may have gone out twice."
        )
        #expect(next(record("deferred", status: 504))?.hasSuffix("a second time when it is tried again.") == true)
        #expect(
            next(record("accepted", status: 200)) == "Its message came back once: the push may have gone out twice."
        )
        let cancelled = record("cancelled", history: [502])
        #expect(
            !DeliveryExplanation.text(cancelled, provider: "FCM", advice: nil).contains("ended without a word")
        )
    }
}
