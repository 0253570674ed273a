import Testing
import WaybillCore

@testable import WaybillDeviceRegistry

/// Which minutes before a storm are no part of it.
@Suite struct StormBeginningTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Answers and invalid ones, minute by minute.
        let minutes: [(Int, Int)]
        var usual: Double?
        var isExact = true
        /// The first minute that is held; without a cut it would be the first that has an invalid answer.
        let begins: Int64

        var testDescription: String { name }

        init(
            _ name: String,
            _ minutes: [(Int, Int)],
            usual: Double? = nil,
            isExact: Bool = true,
            begins: Int64
        ) {
            self.name = name
            self.minutes = minutes
            self.usual = usual
            self.isExact = isExact
            self.begins = begins
        }
    }

    /// A storm of everything, after what `before` says.
    private static func storm(after before: [(Int, Int)], _ storm: [(Int, Int)] = [(600, 600)]) -> [(Int, Int)] {
        before + storm
    }

    private static func quiet(_ count: Int, _ minute: (Int, Int) = (100, 0)) -> [(Int, Int)] {
        Array(repeating: minute, count: count)
    }

    static let cases: [Case] = [
        // MARK: Abruptly, after quiet minutes
        Case("one ordinary dead token, long before", storm(after: [(100, 1)] + quiet(5)), begins: 5),
        // The storm may have begun in that minute.
        Case("one ordinary dead token right before", storm(after: quiet(5) + [(100, 1)]), begins: 5),
        Case("one ordinary dead token, a minute earlier", storm(after: quiet(4) + [(100, 1), (100, 0)]), begins: 5),
        Case("an ordinary one in each minute", storm(after: quiet(6, (100, 1))), begins: 5),
        Case("as much as is usual", storm(after: quiet(6, (100, 10)), [(900, 900)]), usual: 0.1, begins: 5),
        Case("with minutes without answers between", storm(after: [(100, 1), (100, 0), (0, 0), (0, 0)]), begins: 1),

        // MARK: From the first second
        Case("all that is known is the storm's", storm(after: []), begins: 0),
        Case("of several minutes", storm(after: [], [(100, 100), (100, 90), (100, 100)]), begins: 0),
        Case("half of all", storm(after: [], Array(repeating: (100, 50), count: 10)), begins: 0),

        // MARK: In the middle of a minute
        Case("it shows in the minute before", storm(after: [(100, 1), (100, 0), (100, 15)]), begins: 1),
        Case("it shows hardly in the minute before", storm(after: [(100, 1), (100, 0), (100, 3)]), begins: 2),

        // MARK: Slowly
        Case(
            "doubled each minute",
            [(1000, 10), (1000, 20), (1000, 40), (1000, 80), (1000, 160), (1000, 320), (1000, 640)],
            begins: 2
        ),
        Case("under the limit, and not ordinary", quiet(2, (100, 1)) + quiet(4, (100, 15)) + [(900, 900)], begins: 1),
        Case("all of it over the limit", Array(repeating: (100, 21), count: 10), begins: 0),
        // Together they are under the limit, and the storm's all the same.
        Case("a bad minute behind many quiet ones", quiet(3, (100, 1)) + [(100, 30), (100, 70), (100, 70)], begins: 2),

        // MARK: It comes, goes, and comes again
        Case("a bad minute before quiet ones", [(100, 60), (1000, 0), (1000, 0), (1000, 0), (1200, 1200)], begins: 0),
        Case("two of a small minute before quiet ones", [(5, 2), (100, 0), (100, 0), (600, 600)], begins: 0),
        Case("two bad halves, each small", [(3, 1), (3, 1), (100, 0), (100, 0), (600, 600)], begins: 0),

        Case(
            "minutes just under the limit, each before a quiet one",
            [(100, 19), (500, 0), (100, 19), (500, 0), (500, 500)],
            begins: 0
        ),
        Case(
            "a minute just under the limit before many quiet ones",
            [(100, 15)] + quiet(8, (1000, 0)) + [(3000, 3000)],
            begins: 0
        ),
        Case(
            "two of a minute, more than a fifth of the limit",
            [(40, 2)] + quiet(8, (1000, 0)) + [(3000, 3000)],
            begins: 0
        ),
        Case(
            "ordinary minutes before one that is not",
            quiet(3, (100, 1)) + [(100, 15)] + quiet(3) + [(900, 900)],
            begins: 2
        ),
        Case(
            "single tokens that are too many together",
            quiet(1, (100, 1)) + quiet(3, (10, 1)) + quiet(4) + [(900, 900)],
            begins: 0
        ),
        // Whoever has called all of another storm right has not called this one right.
        Case("where everything was called right", [(100, 97), (100, 100), (300, 300)], usual: 1, begins: 0),

        // MARK: Few answers per minute
        Case("the single answer of a minute", [(1, 1)] + quiet(3, (10, 0)) + [(40, 40)], begins: 3),
        // Too little to tell it from a storm.
        Case("the single answer of a minute, right before", [(1, 1), (2, 0), (40, 40)], begins: 0),
        Case("one of five, and nobody can say whether that was all", [(5, 1), (5, 0), (5, 5), (15, 15)], begins: 0),
        Case("one of five, with enough after it", [(5, 1)] + quiet(4, (6, 0)) + [(15, 15), (15, 15)], begins: 4),
        Case("a trickle of answers, all of them bad", Array(repeating: (2, 2), count: 10), begins: 0),

        // MARK: What is left must blow by itself
        Case("the storm's own are too few", quiet(3, (25, 1)) + [(17, 17)], begins: 0),
        Case("they are just enough", quiet(3, (25, 1)) + [(19, 19)], begins: 2),

        // MARK: Where nobody knows all
        Case("what was counted may lack something", storm(after: [(100, 1)] + quiet(5)), isExact: false, begins: 0),
    ]

    @Test("what is held begins with the storm, and never after it", arguments: cases)
    func itIsCut(_ given: Case) throws {
        let minutes = given.minutes.enumerated().map { position, counts in
            FuseRule.Minute(Int64(position), answers: counts.0, invalid: counts.1)
        }
        let last = Int64(given.minutes.count) - 1
        let finding = try #require(
            FuseRule.judge(
                minutes.shuffled(),
                ends: [last],
                armed: 0,
                usual: given.usual,
                isExact: given.isExact,
                FusePolicy()
            )
        )
        #expect(finding.minutes == given.begins...last)
        let held = minutes.filter { finding.minutes.contains($0.number) }
        #expect(finding.invalid == held.reduce(0) { $0 + $1.invalid })
        #expect(finding.answers == held.reduce(0) { $0 + $1.answers })
        #expect(finding.invalid >= FusePolicy().count)
        #expect(finding.share > finding.limit)
    }
}
