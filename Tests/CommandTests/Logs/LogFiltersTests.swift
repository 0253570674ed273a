import ArgumentParser
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

@testable import waybill

@Suite("Filters of the log")
struct LogFiltersTests {
    private static let now: Int64 = 1_795_233_906_000

    @Test(
        "durations count back from now",
        arguments: [("90s", 90), ("15m", 900), ("2h", 7200), ("3d", 259_200), ("1h30m", 5400)]
    )
    func durations(text: String, seconds: Int64) {
        #expect(TimeText.parse(text, now: Self.now) == Self.now - seconds * 1000)
    }

    @Test(
        "dates are read as UTC",
        arguments: [
            ("2026-11-21", 1_795_219_200), ("2026-11-21T04:05Z", 1_795_233_900),
            ("2026-11-21T06:05+02:00", 1_795_233_900),
        ]
    )
    func dates(text: String, seconds: Int64) throws {
        #expect(try LogFilters.time(text) == seconds * 1000)
    }

    @Test("what is no time", arguments: ["2026-02-31", "2026-13-01", "5", "-2h", "tomorrow", "", "2026-11-21T25:00"])
    func noTimes(text: String) {
        #expect(throws: (any Error).self) { try LogFilters.time(text) }
    }

    @Test("a token is compared in small letters")
    func tokens() throws {
        #expect(try LogFilters.token("00FC") == Array("00fc".utf8))
    }

    @Test("what is no token", arguments: ["", "0", "abc", "zz", String(repeating: "a", count: 402)])
    func noTokens(text: String) {
        #expect(throws: (any Error).self) { try LogFilters.token(text) }
    }

    @Test("an outcome is asked for, or left out")
    func outcomeTerms() throws {
        let filters = try LogFilters.parse(["--outcome", "!accepted", "--outcome", "deferred", "--push-type", "voip"])
        let query = filters.query(limit: 3)
        #expect(query.outcomes == [.deferred])
        #expect(query.excludedOutcomes == [.accepted])
        #expect(query.pushType == "voip")
        #expect(query.limit == 3)
    }

    @Test("a value is asked for, or left out; several may be given")
    func terms() throws {
        let filters = try LogFilters.parse(["--reason", "!Unregistered", "--client", "a", "--client", "b"])
        let query = filters.query(limit: nil)
        #expect(query.reason == TextFilter(excluding: ["Unregistered"]))
        #expect(query.client == TextFilter(["a", "b"]))
        #expect(query.lane.isEmpty)
        for term in ["", "!"] { #expect(throws: (any Error).self) { try LogFilters.term(term) } }
        let counted = try StatsFilters.parse(["--outcome", "!accepted", "--lane", "!a", "--lane", "!b"])
            .query(since: 0, until: 1, step: 1, dimension: nil)
        #expect(counted.excludedOutcomes == [.accepted])
        #expect(counted.lane == TextFilter(excluding: ["a", "b"]))
        #expect(throws: (any Error).self) { try StatsFilters.outcome("!deferred") }
    }

    @Test("outcomes, ids and words that can match nothing are refused")
    func words() throws {
        #expect(try LogFilters.outcome("token_invalid") == .tokenInvalid)
        #expect(throws: (any Error).self) { try LogFilters.outcome("lost") }
        for text in ["!lost", "", "!", "accepted,"] {
            #expect(throws: (any Error).self) { try OutcomeTerm(text) }
        }
        #expect(throws: (any Error).self) { try LogFilters.priority("7") }
        #expect(throws: (any Error).self) { try LogFilters.apnsID("1") }
        #expect(throws: (any Error).self) { try LogFilters.word("") }
    }
}
