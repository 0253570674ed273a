import Testing
import WaybillPushTransport
import WaybillThreads

@testable import WaybillAPNS

@Suite("The minting rule, by table")
struct MintingRuleTests {
    /// What happened to a token of minute 0, and what the rule says later.
    struct Row: Sendable, CustomTestStringConvertible {
        let minute: Int
        let second: Int
        let shift: Int64
        let wants: Bool
        let may: Bool
        let usable: Bool

        init(_ minute: Int, second: Int = 0, shift: Int64 = 0, wants: Bool, may: Bool, usable: Bool = true) {
            self.minute = minute
            self.second = second
            self.shift = shift
            self.wants = wants
            self.may = may
            self.usable = usable
        }

        var testDescription: String { "minute \(minute):\(second), calendar \(shift)" }
    }

    private static let hour: Int64 = 3600

    @Test(
        "A token of minute 0",
        arguments: [
            Row(0, wants: false, may: false),
            Row(19, second: 59, wants: false, may: false),
            Row(20, wants: false, may: true),
            Row(23, second: 59, wants: false, may: true),
            Row(24, wants: true, may: true),
            Row(49, second: 59, wants: true, may: true),
            Row(50, wants: true, may: true),
            Row(59, second: 59, wants: true, may: true),
            Row(60, wants: true, may: true, usable: false),
            Row(600, wants: true, may: true, usable: false),
            Row(10, shift: hour, wants: true, may: false),
            Row(20, shift: hour, wants: true, may: true),
            Row(10, shift: -hour, wants: false, may: false),
            Row(30, shift: -hour, wants: false, may: true),
            Row(49, second: 59, shift: -hour, wants: false, may: true),
            Row(50, shift: -hour, wants: true, may: true),
            Row(60, shift: -hour, wants: true, may: true, usable: false),
        ]
    )
    func ages(row: Row) {
        var rule = MintingRule()
        rule.minted(TokenDate(at: .minute(0)), at: .minute(0))
        let now = ClockReading.minute(row.minute, second: row.second, calendarShift: row.shift)
        #expect(rule.wantsMint(at: now) == row.wants)
        #expect(rule.mayMint(at: now) == row.may)
        #expect(rule.isUsable(at: now) == row.usable)
    }

    @Test("Without a token: wanted, allowed, nothing to use")
    func none() {
        let rule = MintingRule()
        #expect(rule.wantsMint(at: .minute(0)))
        #expect(rule.mayMint(at: .minute(0)))
        #expect(!rule.isUsable(at: .minute(0)))
        #expect(rule.earliestMint == nil)
    }

    @Test("A token that took time to sign: its age counts from its date, the interval from its first use")
    func slowSigner() {
        var rule = MintingRule()
        rule.minted(TokenDate(at: .minute(0)), at: .minute(5))
        #expect(!rule.mayMint(at: .minute(24)))
        #expect(rule.mayMint(at: .minute(25)))
        // The end of the slot comes 19 minutes after the first use: the next one it is.
        #expect(!rule.wantsMint(at: .minute(47, second: 59)))
        #expect(rule.wantsMint(at: .minute(48)))
        #expect(rule.isUsable(at: .minute(59, second: 59)))
        #expect(!rule.isUsable(at: .minute(60)))
    }

    @Test("A token of the grid is as old at its first use as its slot")
    func ageAtFirstUse() {
        var rule = MintingRule()
        rule.minted(TokenDate(at: .minute(23, second: 59)), at: .minute(23, second: 59))
        #expect(!rule.wantsMint(at: .minute(47, second: 59)))
        #expect(rule.wantsMint(at: .minute(48)))
        #expect(rule.isUsable(at: .minute(59, second: 59)))
        #expect(!rule.isUsable(at: .minute(60)))
        // The calendar stands still: the other clock counts from the date on, not from the first use.
        let stopped = ClockReading(monotonic: ClockReading.minute(50).monotonic, unixSeconds: 1_800_001_439)
        #expect(rule.wantsMint(at: stopped))
    }

    @Test("Dates lie on the grid, but for the successor of a refused token, and of one with the same date")
    func dates() {
        let start: Int64 = 1_800_000_000
        for minute in 0..<24 { #expect(TokenDate(at: .minute(minute)).issuedAt == start) }
        #expect(TokenDate(at: .minute(24)).issuedAt == start + 1440)
        #expect(TokenDate(at: .minute(30), isReplacement: true).issuedAt == start + 1800)
        #expect(TokenDate(at: .minute(23), after: start).issuedAt == start + 23 * 60)
        #expect(TokenDate(at: .minute(24), after: start).issuedAt == start + 1440)
    }

    @Test("Failures pause the minting, from one second doubling to sixty; a success forgets them")
    func pauses() {
        var rule = MintingRule()
        var now = ClockReading.minute(0)
        var pauses: [Int] = []
        for _ in 0..<9 {
            rule.failed(at: now)
            var pause = 0
            while !rule.mayMint(at: now) {
                now = ClockReading(
                    monotonic: now.monotonic.advanced(by: .seconds(1)),
                    unixSeconds: now.unixSeconds + 1
                )
                pause += 1
            }
            pauses.append(pause)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        rule.minted(TokenDate(at: now), at: now)
        let later = ClockReading(
            monotonic: now.monotonic.advanced(by: MintingRule.renewalAge),
            unixSeconds: now.unixSeconds + 3000
        )
        rule.failed(at: later)
        #expect(rule.earliestMint == later.monotonic.advanced(by: .seconds(1)))
    }

    @Test("A hold lasts 20 minutes from the answer, whatever else would allow a mint")
    func hold() {
        var rule = MintingRule()
        rule.minted(TokenDate(at: .minute(0)), at: .minute(0))
        rule.hold(at: .minute(15))
        #expect(!rule.mayMint(at: .minute(34)))
        #expect(rule.mayMint(at: .minute(35)))
        rule.hold(at: .minute(36))
        #expect(!rule.mayMint(at: .minute(55)))
        #expect(rule.isUsable(at: .minute(55)))
        #expect(rule.mayMint(at: .minute(56)))
    }
}
