import Testing
import WaybillSimulator
import WaybillThreads

@Suite struct RuleSetTests {
    func status(_ book: inout RuleSet, _ token: String) -> Int? { book.rule(for: Array(token.utf8))?.answer.status }

    func rule(_ prefix: String, _ status: Int, times: Int? = nil) -> SimulatorRule {
        SimulatorRule(tokenPrefix: prefix, answer: SimulatorAnswer(status: status), times: times)
    }

    @Test func theLongestPrefixWins() {
        var book = RuleSet(rules: [rule("a", 401), rule("abc", 403), rule("ab", 402), rule("", 400)])
        #expect(status(&book, "abcd") == 403)
        #expect(status(&book, "abdd") == 402)
        #expect(status(&book, "ADDD") == 401)
        #expect(status(&book, "ffff") == 400)
    }

    @Test func withoutAMatchThereIsNoRule() {
        var book = RuleSet(rules: [rule("ab", 400)])
        #expect(status(&book, "a") == nil)
        #expect(status(&book, "ac") == nil)
    }

    @Test func timesCountPerToken() {
        var book = RuleSet(rules: [rule("ab", 500, times: 2)])
        #expect([status(&book, "ab01"), status(&book, "ab01"), status(&book, "AB01")] == [500, 500, nil])
        #expect(status(&book, "ab02") == 500)
    }

    @Test func rulesOfOnePrefixFollowEachOther() {
        var book = RuleSet(rules: [rule("ab", 500, times: 1), rule("ab", 503, times: 1), rule("a", 400)])
        #expect([status(&book, "ab"), status(&book, "ab"), status(&book, "ab")] == [500, 503, nil])
    }

    @Test func chanceIsRepeatable() {
        func run(seed: UInt64) -> [Int?] {
            var rare = rule("", 500)
            rare.probability = 0.5
            var book = RuleSet(rules: [rare], seed: seed)
            return (0..<200).map { _ in status(&book, "aa") }
        }
        #expect(run(seed: 7) == run(seed: 7))
        #expect(run(seed: 7) != run(seed: 8))
        #expect((50...150).contains(run(seed: 7).count { $0 == 500 }))
    }

    @Test func jitterIsDrawnFromTheSeed() {
        func delays(seed: UInt64) -> [Duration?] {
            var slow = rule("", 200)
            slow.delay = .milliseconds(100)
            slow.jitter = .milliseconds(50)
            var book = RuleSet(rules: [slow], seed: seed)
            return (0..<50).map { _ in book.rule(for: Array("aa".utf8))?.delay }
        }
        #expect(delays(seed: 1) == delays(seed: 1))
        #expect(Set(delays(seed: 1)).count > 10)
        #expect(delays(seed: 1).allSatisfy { (.milliseconds(100) ... .milliseconds(150)).contains($0 ?? .zero) })
    }

    @Test func aRateActsOnWhatIsTooMuch() {
        var book = RuleSet(rules: [SimulatorRule(tokenPrefix: "", answer: .documented(.tooManyRequests), perMinute: 2)]
        )
        func acts(_ token: String, second: UInt64) -> Bool {
            book.rule(for: Array(token.utf8), at: MonotonicTime(nanoseconds: second * 1_000_000_000)) != nil
        }
        let first = [0, 1, 2, 3].map { acts("aa", second: $0) }
        #expect(first == [false, false, true, true])
        let other = acts("bb", second: 3)
        #expect(!other)
        // What was refused does not count: the two that passed are forgotten after a minute.
        let later = [59, 60, 61, 62].map { acts("aa", second: $0) }
        #expect(later == [true, false, false, true])
    }

    @Test func pathsHaveRulesOfTheirOwn() {
        var book = RuleSet(rules: [rule("", 500), rule("/4/", 503), rule("/4/broadcasts/apps/com.Example", 400)])
        #expect(status(&book, "aa") == 500)
        #expect(status(&book, "/4/x") == 503)
        #expect(status(&book, "/4/broadcasts/apps/com.Example.parcels") == 400)
        #expect(status(&book, "/1/x") == nil)
    }

    @Test func madeIDsAreVersion4() {
        var generator = SeededGenerator(seed: 1)
        let id = String(decoding: generator.makeUUID(), as: UTF8.self)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }
}
