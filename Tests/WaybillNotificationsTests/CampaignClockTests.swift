import Foundation
import Testing

@testable import WaybillNotifications

/// Local times over a change of the clocks, planned by machines whose own clock is right or wrong.
struct CampaignClockTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let local: String
        var zone = "Europe/Vienna"
        /// What the clock of the machine shows that starts it.
        let now: String
        /// When devices are told; `nil`: at once.
        var at: String?
        var isSkipped = false
        var testDescription: String { what }
    }

    /// In Vienna clocks go from 2:00 to 3:00 on 2026-03-29, at 1:00 UTC, and from 3:00 to 2:00 on 2026-10-25, at 1:00 UTC.
    static let cases = [
        Case(
            what: "in the gap, before",
            local: "2026-03-29T02:30",
            now: "2026-03-29T00:59:59Z",
            at: "2026-03-29T01:00:00Z"
        ),
        Case(what: "in the gap, at its end", local: "2026-03-29T02:30", now: "2026-03-29T01:00:00Z"),
        Case(what: "in the gap, after", local: "2026-03-29T02:30", now: "2026-03-29T01:00:01Z", isSkipped: true),
        Case(
            what: "in the gap, a day slow",
            local: "2026-03-29T02:30",
            now: "2026-03-28T01:30:00Z",
            at: "2026-03-29T01:00:00Z"
        ),
        Case(what: "in the gap, an hour fast", local: "2026-03-29T02:30", now: "2026-03-29T01:30:00Z", isSkipped: true),
        Case(
            what: "twice, before the first",
            local: "2026-10-25T02:30",
            now: "2026-10-25T00:29:59Z",
            at: "2026-10-25T00:30:00Z"
        ),
        Case(what: "twice, at the first", local: "2026-10-25T02:30", now: "2026-10-25T00:30:00Z"),
        Case(what: "twice, between the two", local: "2026-10-25T02:30", now: "2026-10-25T01:00:00Z", isSkipped: true),
        Case(what: "twice, at the second", local: "2026-10-25T02:30", now: "2026-10-25T01:30:00Z", isSkipped: true),
        Case(
            what: "twice, by a clock that went back an hour too far",
            local: "2026-10-25T02:30",
            now: "2026-10-24T23:30:00Z",
            at: "2026-10-25T00:30:00Z"
        ),
        Case(
            what: "half an hour's gap, from behind",
            local: "2026-10-04T02:15",
            zone: "Australia/Lord_Howe",
            now: "2026-10-03T15:29:00Z",
            at: "2026-10-03T15:30:00Z"
        ),
        Case(
            what: "no midnight",
            local: "2026-09-06T00:00",
            zone: "America/Santiago",
            now: "2026-09-06T03:59:00Z",
            at: "2026-09-06T04:00:00Z"
        ),
    ]

    private static func time(_ text: String) throws -> Int64 {
        try Date.ISO8601FormatStyle().parse(text).milliseconds
    }

    private static func plan(
        _ local: String,
        _ zone: String,
        now: Int64,
        passed: CampaignTiming.Passed = .skip
    ) throws -> CampaignPart {
        let timing = CampaignTiming(start: .local(try #require(LocalTime(local))), zone: zone, passed: passed)
        let parts = CampaignPlan.parts(timing, zones: [(zone, 1)], end: nil, now: now)
        #expect(parts.reduce(0) { $0 + $1.devices } == 1, "in one part")
        return try #require(parts.first { $0.devices == 1 })
    }

    @Test(arguments: cases)
    func oneMomentCountsAndItPassesOnce(_ one: Case) throws {
        let now = try Self.time(one.now)
        let part = try Self.plan(one.local, one.zone, now: now)
        let at = try one.at.map(Self.time)
        #expect(part.at == at)
        #expect((part.skipped == CampaignPlan.passed) == one.isSkipped)
        // Whoever is told all the same is told at once, and not when clocks show it a second time.
        let told = try Self.plan(one.local, one.zone, now: now, passed: .now)
        #expect(told.skipped == nil)
        #expect(told.at == at)
    }

    /// A wrong clock changes whether a moment has passed, and never which moment it is.
    @Test(arguments: [
        "2026-03-29T02:30", "2026-03-29T03:00", "2026-10-25T02:00", "2026-10-25T02:30", "2026-10-25T03:00",
    ])
    func aWrongClockMovesNoMoment(_ local: String) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Vienna"))
        let moment = try #require(LocalTime(local)?.instant(in: zone))
        for minutes in stride(from: -26 * 60, through: 26 * 60, by: 15) {
            let now = moment + Int64(minutes) * 60_000
            let part = try Self.plan(local, zone.identifier, now: now)
            if now < moment {
                #expect(part.at == moment && part.skipped == nil, "\(minutes) minutes")
            } else {
                #expect(part.at == nil && (part.skipped == nil) == (now == moment), "\(minutes) minutes")
            }
        }
    }
}
