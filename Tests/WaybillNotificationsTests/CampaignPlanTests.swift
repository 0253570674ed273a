import Foundation
import Testing
import WaybillMessages

@testable import WaybillNotifications

struct LocalTimeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let time: String
        let zone: String
        let instant: String
        var testDescription: String { what }
    }

    static let cases = [
        Case(what: "plain", time: "2026-12-24T18:00", zone: "Europe/Vienna", instant: "2026-12-24T17:00:00Z"),
        Case(what: "an older name", time: "2026-12-24T18:00", zone: "Asia/Calcutta", instant: "2026-12-24T12:30:00Z"),
        Case(what: "its newer one", time: "2026-12-24T18:00", zone: "Asia/Kolkata", instant: "2026-12-24T12:30:00Z"),
        Case(
            what: "first on earth",
            time: "2026-12-24T18:00",
            zone: "Pacific/Kiritimati",
            instant: "2026-12-24T04:00:00Z"
        ),
        Case(what: "last on earth", time: "2026-12-24T18:00", zone: "Etc/GMT+12", instant: "2026-12-25T06:00:00Z"),
        // Clocks go from 2:00 to 3:00.
        Case(what: "in the gap", time: "2026-03-29T02:30", zone: "Europe/Vienna", instant: "2026-03-29T01:00:00Z"),
        Case(what: "before the gap", time: "2026-03-29T01:59", zone: "Europe/Vienna", instant: "2026-03-29T00:59:00Z"),
        Case(what: "after the gap", time: "2026-03-29T03:00", zone: "Europe/Vienna", instant: "2026-03-29T01:00:00Z"),
        Case(
            what: "gap in New York",
            time: "2026-03-08T02:30",
            zone: "America/New_York",
            instant: "2026-03-08T07:00:00Z"
        ),
        // There midnight does not exist that day.
        Case(
            what: "gap at midnight",
            time: "2026-09-06T00:30",
            zone: "America/Santiago",
            instant: "2026-09-06T04:00:00Z"
        ),
        // Half an hour, from 2:00 to 2:30.
        Case(
            what: "a short gap",
            time: "2026-10-04T02:15",
            zone: "Australia/Lord_Howe",
            instant: "2026-10-03T15:30:00Z"
        ),
        // Clocks go from 3:00 back to 2:00.
        Case(what: "twice", time: "2026-10-25T02:30", zone: "Europe/Vienna", instant: "2026-10-25T00:30:00Z"),
        Case(
            what: "twice in New York",
            time: "2026-11-01T01:30",
            zone: "America/New_York",
            instant: "2026-11-01T05:30:00Z"
        ),
    ]

    @Test(arguments: cases)
    func clocksShowItThen(_ one: Case) throws {
        let zone = try #require(TimeZone(identifier: one.zone))
        let instant = try #require(LocalTime(one.time)).instant(in: zone)
        let expected = try Date.ISO8601FormatStyle().parse(one.instant)
        #expect(instant == expected.milliseconds)
    }

    @Test(arguments: [
        "2026-12-24 18:00", "2026-13-24T18:00", "2026-02-30T18:00", "2026-12-24T24:00", "18:00", "tomorrow",
    ])
    func whatIsNoTimeIsRefused(_ text: String) {
        #expect(LocalTime(text) == nil)
    }
}

struct QuietHoursTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let hours: String
        let at: String
        let end: String
        var zone = "Europe/Vienna"
        var testDescription: String { what }
    }

    static let cases = [
        Case(what: "outside", hours: "22:00-08:00", at: "2026-12-24T12:00:00Z", end: "2026-12-24T12:00:00Z"),
        Case(what: "before midnight", hours: "22:00-08:00", at: "2026-12-24T22:00:00Z", end: "2026-12-25T07:00:00Z"),
        Case(what: "after midnight", hours: "22:00-08:00", at: "2026-12-25T02:00:00Z", end: "2026-12-25T07:00:00Z"),
        Case(what: "its first minute", hours: "22:00-08:00", at: "2026-12-24T21:00:00Z", end: "2026-12-25T07:00:00Z"),
        Case(what: "its end", hours: "22:00-08:00", at: "2026-12-25T07:00:00Z", end: "2026-12-25T07:00:00Z"),
        Case(what: "at noon", hours: "12:00-14:00", at: "2026-12-24T12:00:00Z", end: "2026-12-24T13:00:00Z"),
        Case(
            what: "the end is in a gap",
            hours: "22:00-02:30",
            at: "2026-03-28T23:00:00Z",
            end: "2026-03-29T01:00:00Z"
        ),
    ]

    @Test(arguments: cases)
    func whatLiesInThemWaitsForTheirEnd(_ one: Case) throws {
        let style = Date.ISO8601FormatStyle()
        let zone = try #require(TimeZone(identifier: one.zone))
        let end = try #require(QuietHours(one.hours)).end(after: try style.parse(one.at).milliseconds, in: zone)
        #expect(end == (try style.parse(one.end).milliseconds))
    }

    @Test(arguments: ["22-8", "22:00", "24:00-08:00", "22:60-08:00", "08:00-08:00", "8:00-9:00"])
    func whatAreNoHoursIsRefused(_ text: String) {
        #expect(QuietHours(text) == nil)
    }

    @Test func theyAreWrittenAsTheyWereRead() { #expect(QuietHours("22:00-08:05")?.description == "22:00-08:05") }
}

struct CampaignPlanTests {
    /// It is 2026-12-24T12:00:00Z.
    private static let noon: Int64 = 1_798_113_600_000
    private static let hour: Int64 = 3_600_000
    private static let zones: [(name: String?, devices: Int)] = [
        ("Europe/Vienna", 10), ("Europe/Berlin", 20), ("America/New_York", 5), ("Asia/Kolkata", 3), ("Nowhere/X", 2),
        (nil, 1),
    ]

    private static func plan(_ timing: CampaignTiming, end: Int64? = nil, now: Int64 = noon) -> [CampaignPart] {
        CampaignPlan.parts(timing, zones: zones, end: end, now: now)
    }

    private static func local(_ text: String, passed: CampaignTiming.Passed = .skip) throws -> CampaignTiming {
        CampaignTiming(start: .local(try #require(LocalTime(text))), zone: "Europe/Vienna", passed: passed)
    }

    @Test func oneTimeForAllIsOnePart() {
        #expect(Self.plan(CampaignTiming(start: .now)) == [CampaignPart(at: nil, devices: 41)])
        let later = Self.noon + Self.hour
        #expect(Self.plan(CampaignTiming(start: .at(later))) == [CampaignPart(at: later, devices: 41)])
        let late = Self.plan(CampaignTiming(start: .at(later)), end: later)
        #expect(late == [CampaignPart(at: later, devices: 41, skipped: CampaignPlan.expired)])
    }

    /// As of a time that the devices' own clocks show; a start at that moment may be a little late.
    @Test(
        arguments: [
            (-1, CampaignTiming.Passed.skip, -1, nil), (-60, .skip, -60, nil), (-60, .now, -60, nil),
            (-61, .skip, -61, CampaignPlan.passed), (-61, .now, nil, nil),
            (-1_000_000, .skip, -1_000_000, CampaignPlan.passed),
            (-1_000_000, .now, nil, nil), (5, .skip, 5, nil),
        ] as [(Int64, CampaignTiming.Passed, Int64?, String?)]
    )
    func aTimeForAllThatHasPassedIsToldNobodyOrAtOnce(
        seconds: Int64,
        passed: CampaignTiming.Passed,
        at: Int64?,
        skipped: String?
    ) {
        var timing = CampaignTiming(start: .at(Self.noon + seconds * 1000), zone: "Europe/Vienna", passed: passed)
        let expected = CampaignPart(at: at.map { Self.noon + $0 * 1000 }, devices: 41, skipped: skipped)
        #expect(Self.plan(timing) == [expected])
        // Also where each zone has a moment of its own.
        timing.quiet = QuietHours("03:00-04:00")
        let parts = Self.plan(timing)
        #expect(parts.map(\.devices) == [41] && parts.map(\.skipped) == [skipped])
    }

    /// What reaches nobody wherever they are is refused when it is prepared.
    @Test func aTimeThatHasPassedEverywhereIsKnown() throws {
        func at(_ seconds: Int64, _ passed: CampaignTiming.Passed = .skip) -> Bool {
            CampaignTiming(start: .at(Self.noon + seconds * 1000), passed: passed).hasPassed(now: Self.noon)
        }
        #expect(!at(5) && !at(-60) && at(-61) && !at(-61, .now))
        #expect(!CampaignTiming(start: .now).hasPassed(now: Self.noon))
        // The last clocks on earth show midnight at noon.
        #expect(try !Self.local("2026-12-24T00:00").hasPassed(now: Self.noon))
        #expect(try Self.local("2026-12-23T23:58").hasPassed(now: Self.noon))
        #expect(try !Self.local("2026-12-23T23:58", passed: .now).hasPassed(now: Self.noon))
    }

    /// Zones whose clocks agree are one part; what nobody knows goes with the campaign's own zone.
    @Test func aLocalTimeIsAPartForEachMoment() throws {
        let parts = Self.plan(try Self.local("2026-12-24T18:00"))
        #expect(
            parts == [
                CampaignPart(at: Self.noon + Self.hour / 2, zones: ["Asia/Kolkata"], devices: 3),
                CampaignPart(
                    at: Self.noon + 5 * Self.hour,
                    otherThan: ["America/New_York", "Asia/Kolkata"],
                    devices: 33
                ),
                CampaignPart(at: Self.noon + 11 * Self.hour, zones: ["America/New_York"], devices: 5),
            ]
        )
    }

    @Test func whereItHasPassedDevicesAreSkippedOrToldAtOnce() throws {
        let skipped = Self.plan(try Self.local("2026-12-24T12:30"))
        #expect(skipped.filter { $0.skipped != nil }.reduce(0) { $0 + $1.devices } == 36)
        #expect(skipped.filter { $0.skipped == nil }.map(\.zones) == [["America/New_York"]])
        let told = Self.plan(try Self.local("2026-12-24T12:30", passed: .now))
        #expect(told.filter { $0.at == nil && $0.skipped == nil }.reduce(0) { $0 + $1.devices } == 36)
        #expect(told.count == 2)
    }

    @Test func quietHoursHoldItWhereItIsNight() {
        let timing = CampaignTiming(
            start: .at(Self.noon),
            zone: "Europe/Vienna",
            quiet: QuietHours("17:00-08:00")
        )
        // 17:30 in India, 7:00 in New York, 13:00 in Vienna.
        #expect(
            Self.plan(timing) == [
                CampaignPart(at: nil, otherThan: ["America/New_York", "Asia/Kolkata"], devices: 33),
                CampaignPart(at: Self.noon + Self.hour, zones: ["America/New_York"], devices: 5),
                CampaignPart(at: Self.noon + 14 * Self.hour + Self.hour / 2, zones: ["Asia/Kolkata"], devices: 3),
            ]
        )
        let ends = Self.plan(timing, end: Self.noon + 2 * Self.hour)
        #expect(ends.filter { $0.skipped == CampaignPlan.expired }.map(\.zones) == [["Asia/Kolkata"]])
    }

    /// As with the quiet hours that people have: what is wrong is told in the night, too.
    @Test(arguments: [(nil, false), ("info", false), ("warning", false), ("error", true)] as [(String?, Bool)])
    func whatIsUrgentPassesQuietHours(level: String?, passes: Bool) throws {
        var content = CampaignContent(
            body: "b",
            selection: AudienceSelection(app: "a", kind: .filter(AudienceFilter()))
        )
        content.level = level
        let timing = CampaignTiming(start: .at(Self.noon), zone: "Europe/Vienna", quiet: QuietHours("17:00-08:00"))
        func campaign(_ content: CampaignContent) -> Campaign {
            Campaign(name: "a", client: "c", content: content, timing: timing, createdAt: 0, createdBy: "t")
        }
        #expect(campaign(content).passesQuietHours == passes)
        let parts = Self.plan(campaign(content).effectiveTiming)
        #expect((parts == [CampaignPart(at: Self.noon, devices: 41)]) == passes)
        // Hours that do not count need no time zones of devices.
        content.selection = AudienceSelection(app: "a", kind: .users(["anna"]))
        #expect(((try? campaign(content).posted(client: "c")) != nil) == passes)
        #expect(campaign(content).timing.quiet != nil, "what was asked is kept")
    }

    /// Whatever the clocks say, each device is in one part.
    @Test func nobodyIsLeftOutOrThereTwice() throws {
        for hour in 0..<48 {
            let time = "2026-03-\(28 + hour / 24)T\(hour % 24 < 10 ? "0" : "")\(hour % 24):30"
            let parts = Self.plan(try Self.local(time), now: 1_774_600_000_000)
            #expect(parts.reduce(0) { $0 + $1.devices } == 41, "\(time)")
            let named = parts.flatMap(\.zones)
            #expect(Set(named).count == named.count)
            #expect(parts.compactMap(\.otherThan) == [named.sorted()], "\(time)")
        }
    }

    /// A campaign for some time zones has no part for any other, and one for each moment of those that it names.
    @Test func namedTimeZonesAreAllThatThereAre() throws {
        func plan(_ zones: [(name: String?, devices: Int)], _ named: [String], now: Int64 = Self.noon) throws
            -> [CampaignPart]
        {
            var timing = try Self.local("2026-12-24T18:00")
            timing.passed = .now
            return CampaignPlan.parts(timing, zones: zones, named: named, end: nil, now: now)
        }
        let vienna = CampaignPart(at: Self.noon + 5 * Self.hour, zones: ["Europe/Vienna"], devices: 10)
        #expect(try plan([("Europe/Vienna", 10)], ["Europe/Vienna"]) == [vienna])
        // It has passed, and devices are told at once.
        let late = CampaignPart(at: nil, zones: ["Europe/Vienna"], devices: 10)
        #expect(try plan([("Europe/Vienna", 10)], ["Europe/Vienna"], now: Self.noon + 5 * Self.hour + 60_000) == [late])
        // Who registers there afterwards is told when their own clock shows it; nobody knows where Nowhere is.
        let india = CampaignPart(at: Self.noon + Self.hour / 2, zones: ["Asia/Kolkata"], devices: 0)
        let others = CampaignPart(at: Self.noon + 5 * Self.hour, zones: ["Europe/Vienna", "Nowhere/X"], devices: 12)
        let named = ["Nowhere/X", "Europe/Vienna", "Asia/Kolkata"]
        #expect(try plan([("Europe/Vienna", 10), ("Nowhere/X", 2)], named) == [india, others])
    }

    @Test func theZonesOfAFilter() {
        func zones(_ named: [String], without: [String] = []) -> [String] {
            var filter = AudienceFilter()
            (filter.timeZones, filter.otherTimeZones) = (named, without)
            return AudienceSelection.Kind.filter(filter).zones
        }
        #expect(zones([]) == [] && zones([], without: ["UTC"]) == [])
        #expect(zones(["UTC", "Asia/Kolkata"]) == ["UTC", "Asia/Kolkata"])
        #expect(zones(["UTC", "Asia/Kolkata"], without: ["UTC"]) == ["Asia/Kolkata"])
        #expect(zones(["UTC"], without: ["UTC"]) == ["UTC"])
        #expect(AudienceSelection.Kind.users(["anna"]).zones == [])
    }

    /// What comes later somewhere is left out there; nothing can come before the first moment.
    @Test(
        arguments: [
            (["Europe/Prague"], "2026-12-24T21:00:00Z", nil),
            (["Europe/Prague"], "2026-12-24T17:00:01Z", nil),
            (["Europe/Prague"], "2026-12-24T17:00:00Z", "of its time zones show at 2026-12-24T17:00:00.000Z"),
            (["Europe/Prague", "Asia/Kolkata"], "2026-12-24T17:00:00Z", nil),
            (["Nowhere/X"], "2026-12-24T17:00:00Z", "of its time zones show at 2026-12-24T17:00:00.000Z"),
            ([], "2026-12-24T04:00:01Z", nil), ([], "2026-12-25T23:00:00Z", nil),
            ([], "2026-12-24T04:00:00Z", "on earth show at 2026-12-24T04:00:00.000Z"),
        ] as [([String], String, String?)]
    )
    func aLocalTimeMayEndOnTheSameEvening(zones: [String], end: String, refusal: String?) throws {
        var filter = AudienceFilter()
        filter.timeZones = zones
        var content = CampaignContent(body: "b", selection: AudienceSelection(app: "a", kind: .filter(filter)))
        content.expiresAt = try Date.ISO8601FormatStyle().parse(end).milliseconds
        let campaign = Campaign(
            name: "a",
            client: "c",
            content: content,
            timing: try Self.local("2026-12-24T18:00"),
            createdAt: 0,
            createdBy: "t"
        )
        var words: String?
        do throws(PostedRefusal) {
            try PostedRules(client: "c", examination: nil).examineDraft(campaign, now: Self.noon - 24 * Self.hour)
        } catch {
            words = error.description
            #expect(error.field == "expires_at")
        }
        #expect(words == refusal.map { "expires_at: is not after local_at, which the first clocks \($0)" })
    }

    /// So that what begins too late is refused when it is prepared, not when fan-out looks at it.
    @Test func itIsExaminedByItsLatestStart() throws {
        let content = CampaignContent(
            body: "b",
            selection: AudienceSelection(app: "a", kind: .filter(AudienceFilter()))
        )
        func start(_ timing: CampaignTiming) throws -> Int64? {
            try Campaign(name: "a", client: "c", content: content, timing: timing, createdAt: 0, createdBy: "t")
                .posted(client: "c")
                .message.at
        }
        #expect(try start(CampaignTiming(start: .now)) == nil)
        #expect(try start(CampaignTiming(start: .at(Self.noon))) == Self.noon)
        let local = try #require(LocalTime("1970-01-02T00:00"))
        #expect(try start(CampaignTiming(start: .local(local))) == 36 * Self.hour)
    }
}
