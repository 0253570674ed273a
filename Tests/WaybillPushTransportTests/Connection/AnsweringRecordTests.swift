import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("Which connections answer")
struct AnsweringRecordTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .milliseconds(milliseconds))
    }

    /// A connection: what it answered, by when it went out and when the answer came, and its oldest open request.
    struct Connection: Sendable {
        var answers: [(submitted: Int, answered: Int)] = []
        var oldest: Int?

        var record: AnsweringRecord {
            var record = AnsweringRecord()
            for answer in answers { record.answered(submittedAt: at(answer.submitted), at: at(answer.answered)) }
            return record
        }

        func isOutpaced(by other: Connection) -> Bool {
            guard let oldest else { return false }
            return other.record.outpaces(owingSince: record.owesSince(at(oldest)))
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let one: Connection
        let other: Connection
        let isOutpaced: Bool
    }

    static let rows = [
        Row(
            testDescription: "silent, and the other answers what went out a second later",
            one: Connection(answers: [(0, 50)], oldest: 60),
            other: Connection(answers: [(1060, 1110)]),
            isOutpaced: true
        ),
        Row(
            testDescription: "not yet a second",
            one: Connection(answers: [(0, 50)], oldest: 60),
            other: Connection(answers: [(1059, 1110)]),
            isOutpaced: false
        ),
        Row(
            testDescription: "one lost answer among many that come",
            one: Connection(answers: [(0, 50), (5000, 5050)], oldest: 60),
            other: Connection(answers: [(5900, 5950)]),
            isOutpaced: false
        ),
        Row(
            testDescription: "nothing is owed",
            one: Connection(answers: [(0, 50)]),
            other: Connection(answers: [(9000, 9050)]),
            isOutpaced: false
        ),
        Row(
            testDescription: "both are silent",
            one: Connection(answers: [(0, 50)], oldest: 60),
            other: Connection(answers: [(0, 60)], oldest: 70),
            isOutpaced: false
        ),
        Row(
            testDescription: "slow, both of them",
            one: Connection(answers: [(0, 4000)], oldest: 100),
            other: Connection(answers: [(50, 4500), (4600, 6000)], oldest: 200),
            isOutpaced: false
        ),
        Row(
            testDescription: "idle for a minute, then silent",
            one: Connection(answers: [(0, 50)], oldest: 60_000),
            other: Connection(answers: [(60_500, 60_550)]),
            isOutpaced: false
        ),
    ]

    @Test("Slow is who owes while another one answers", arguments: rows)
    func table(row: Row) {
        #expect(row.one.isOutpaced(by: row.other) == row.isOutpaced)
        if row.isOutpaced { #expect(!row.other.isOutpaced(by: row.one)) }
    }

    @Test("However they answer, never do all of a lane count as slow")
    func never() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let connections = (0..<3).map { _ in
                let answers = (0..<4).map { _ in
                    let submitted = Int.random(in: 0...8000, using: &generator)
                    return (submitted, submitted + Int.random(in: 1...4000, using: &generator))
                }
                return Connection(
                    answers: answers.sorted { $0.1 < $1.1 },
                    oldest: Int.random(in: 0...8000, using: &generator)
                )
            }
            let slow = connections.indices.filter { one in
                connections.indices.contains { $0 != one && connections[one].isOutpaced(by: connections[$0]) }
            }
            #expect(slow.count < connections.count)
        }
    }
}
