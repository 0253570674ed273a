import Testing

@testable import WaybillAccounts

struct AudienceRuleTests {
    /// 2023-11-14, 22:13:20 in UTC: 23:13:20 in Prague, 17:13:20 in New York.
    private static let now: Int64 = 1_700_000_000_000

    @Test(arguments: [
        ("22:00", "08:00", "Europe/Prague", true), ("22:00", "08:00", "America/New_York", false),
        ("22:00", "22:13", "UTC", false), ("22:13", "22:14", "UTC", true), ("23:13", "23:14", "Europe/Prague", true),
        ("08:00", "22:00", "UTC", false), ("08:00", "22:14", "UTC", true),
    ])
    func quietHoursGoByTheClockOfTheirZone(from: String, to: String, zone: String, isQuiet: Bool) throws {
        let hours = try #require(PersonalQuietHours(from: from, to: to, zone: zone))
        #expect(hours.contains(Self.now) == isQuiet)
        #expect([PersonalQuietHours.text(hours.from), PersonalQuietHours.text(hours.to)] == [from, to])
    }

    /// In summer the clock of Prague is two hours ahead of UTC, in winter one.
    @Test func quietHoursFollowSummerTime() throws {
        let hours = try #require(PersonalQuietHours(from: "22:00", to: "22:30", zone: "Europe/Prague"))
        #expect(hours.contains(1_689_364_800_000))  // 2023-07-14, 20:00 in UTC
        #expect(!hours.contains(1_689_368_400_000))
        #expect(hours.contains(1_705_266_000_000))  // 2024-01-14, 21:00 in UTC
    }

    @Test(arguments: [
        ("22:00", "22:00", "UTC"), ("24:00", "08:00", "UTC"), ("22:60", "08:00", "UTC"), ("2:00", "08:00", "UTC"),
        ("+2:00", "08:00", "UTC"), ("22:00", "08:00", "CET+1"), ("22:00", "08:00", "Mars/Olympus"),
        ("22:00", "08:00", "../etc/passwd"), ("22:00", "08:00", ""), ("", "08:00", "UTC"), ("22-00", "08:00", "UTC"),
    ])
    func whatIsNoTimeOrZoneIsRefused(from: String, to: String, zone: String) {
        #expect(PersonalQuietHours(from: from, to: to, zone: zone) == nil)
    }

    @Test func eachReasonNotToTellSomebody() throws {
        let night = try #require(PersonalQuietHours(from: "22:00", to: "08:00", zone: "UTC"))
        var member = Membership(service: "s", account: "a", role: .member, levels: .all)
        func silence(_ level: NotificationLevel, _ hours: PersonalQuietHours? = nil) -> ServiceAudience.Silence? {
            member.silence(of: level, quietHours: hours, now: Self.now)
        }
        for level in NotificationLevel.ordinary { #expect(silence(level) == nil) }
        // Nobody hears what is critical who has not asked for it.
        #expect(silence(.critical) == .level)
        #expect([.info, .warning].map { silence($0, night) } == [.quietHours, .quietHours])
        #expect(silence(.error, night) == nil)
        member.levels = [.critical, NotificationLevels(.info)]
        #expect(silence(.critical, night) == nil)
        #expect(silence(.warning) == .level)
        member.mutedUntil = Self.now + 1
        #expect(silence(.critical) == .muted)
        member.mutedUntil = Self.now
        #expect(silence(.critical) == nil)
    }
}
