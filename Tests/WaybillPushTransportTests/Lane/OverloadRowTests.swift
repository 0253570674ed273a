import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite struct OverloadRowTests {
    /// An answer after so many seconds: its status, and the seconds that it asks for.
    struct Answer: Sendable {
        let after: Int
        var status = 503
        var wait: Int?
    }

    static func busy(_ times: Int..., wait: Int = 2) -> [Answer] { times.map { Answer(after: $0, wait: wait) } }

    @Test(
        arguments: [
            ([], nil), (busy(0, 1, 2, 3), nil), (busy(0, 1, 2, 3, 4), 2), (busy(0, 0, 0, 0, 10), 2),
            (busy(0, 0, 0, 0, 11), nil), (busy(0, 5, 6, 7, 8, 15), 2), (busy(0, 0, 0, 0, 0, 3), 2),
            (busy(0, 1, 2, 3) + [Answer(after: 4, status: 500, wait: 30)], 2),
            // Any other answer ends the row, whatever it says of its own request.
            (busy(0, 1, 2, 3) + [Answer(after: 3, status: 200)] + busy(4), nil),
            (busy(0, 1, 2, 3) + [Answer(after: 3, status: 404)] + busy(4, 4, 4, 4), nil),
            (busy(0, 1, 2, 3, 4) + [Answer(after: 5, status: 200)], nil),
            // A fault that asks for nothing is none of the row, and no sign of health.
            (busy(0, 1, 2, 3) + [Answer(after: 3), Answer(after: 3, wait: 0)], nil),
            (busy(0, 1, 2, 3) + [Answer(after: 3), Answer(after: 3, wait: 0)] + busy(4), 2),
        ] as [([Answer], Int?)]
    )
    func severalInARowSpeakOfTheLane(answers: [Answer], pause: Int?) {
        var row = OverloadRow()
        for answer in answers {
            row.note(
                PushAnswer(status: answer.status, retryAfter: answer.wait.map { .seconds($0) }),
                at: MonotonicTime(nanoseconds: 1).advanced(by: .seconds(answer.after))
            )
        }
        #expect(row.pause == pause.map { Duration.seconds($0) })
    }
}
