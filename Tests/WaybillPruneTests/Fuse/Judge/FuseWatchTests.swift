import Testing
import WaybillDeviceRegistry

@testable import WaybillPrune

/// When minutes are looked at, in milliseconds that nobody waits for.
struct FuseWatchTests {
    private let name = FuseName(lane: "parcels", app: "com.example.parcels")
    /// The beginning of minute 1000.
    private let start: Int64 = 60_000_000

    @Test func aNewMinuteIsLookedAtOnceAndThenEveryFewSeconds() {
        var watch = FuseWatch()
        #expect(watch.due(now: start).isEmpty)
        watch.note(name, minute: 1000, now: start)
        #expect(watch.due(now: start) == [name: [1000]])
        watch.looked(name, [1000], areInDoubt: false, now: start)
        #expect(watch.due(now: start + FuseWatch.interval - 1).isEmpty)
        watch.note(name, minute: 1000, now: start + FuseWatch.interval - 1)
        #expect(watch.due(now: start + FuseWatch.interval - 1).isEmpty)
        #expect(watch.due(now: start + FuseWatch.interval) == [name: [1000]])
        watch.note(name, minute: 1001, now: start + 1)
        #expect(watch.due(now: start + 1) == [name: [1000, 1001]])
    }

    /// By how many minutes a dispatcher's clock is ahead of ours, or behind: what it counts comes as late as anybody's.
    @Test(arguments: [-5, -3, -1, 0, 1, 3, 500_000] as [Int64])
    func aMinuteIsForgottenWhenNothingMoreOfItIsCounted(_ ahead: Int64) {
        var watch = FuseWatch()
        let last = start + 30_000
        watch.note(name, minute: 1000 + ahead, now: start)
        watch.note(name, minute: 1000 + ahead, now: last)
        let settled = last + FuseWatch.settling
        watch.looked(name, [1000 + ahead], areInDoubt: false, now: settled)
        #expect(watch.due(now: settled + FuseWatch.interval) == [name: [1000 + ahead]])
        watch.looked(name, [1000 + ahead], areInDoubt: false, now: settled + 1)
        #expect(watch.due(now: settled + 3_600_000).isEmpty)
    }

    /// Its dispatcher is gone, and nobody has counted it anew yet.
    @Test func aMinuteInDoubtStaysDue() {
        var watch = FuseWatch()
        watch.note(name, minute: 1000, now: start)
        let later = start + 3_600_000
        watch.looked(name, [1000], areInDoubt: true, now: later)
        #expect(watch.due(now: later + FuseWatch.intervalInDoubt - 1).isEmpty)
        #expect(watch.due(now: later + FuseWatch.intervalInDoubt) == [name: [1000]])
        watch.looked(name, [1000], areInDoubt: false, now: later + FuseWatch.intervalInDoubt)
        #expect(watch.due(now: later + 3_600_000).isEmpty)
    }

    /// What can be taken back no more.
    @Test func noMinuteIsInDoubtForever() {
        var watch = FuseWatch()
        watch.note(name, minute: 1000, now: start)
        let end = start + TokenEvents.keepingApplied
        watch.looked(name, [1000], areInDoubt: true, now: end)
        #expect(watch.due(now: end + FuseWatch.intervalInDoubt) == [name: [1000]])
        watch.looked(name, [1000], areInDoubt: true, now: end + 1)
        #expect(watch.due(now: end + 3_600_000).isEmpty)
    }

    /// A decision is followed first, which may take longer than anything is counted late.
    @Test func aMinuteThatCouldNotBeJudgedIsKept() {
        var watch = FuseWatch()
        let later = start + 3_600_000
        watch.note(name, minute: 1000, now: start)
        watch.postponed(name, now: later)
        #expect(watch.due(now: later + FuseWatch.interval - 1).isEmpty)
        #expect(watch.due(now: later + FuseWatch.interval) == [name: [1000]])
        watch.looked(name, [1000], areInDoubt: false, now: later + FuseWatch.interval)
        #expect(watch.due(now: later + 3_600_000).isEmpty)
    }

    /// What somebody else has carried out, or this process in an earlier life: once, and again as often as it is recalled.
    @Test(arguments: [1, 997] as [Int64]) func anOldMinuteThatIsRecalledIsLookedAtOnce(_ minute: Int64) {
        var watch = FuseWatch()
        let now = start + 60_000
        for time in [now, now + 300_000] {
            watch.recall(name, minute: minute, now: time)
            #expect(watch.due(now: time) == [name: [minute]])
            watch.looked(name, [minute], areInDoubt: false, now: time + 1)
            #expect(watch.due(now: time + 299_999).isEmpty)
        }
    }

    @Test(arguments: [1000, 1003, 500_000] as [Int64])
    func aMinuteOfLateThatIsRecalledIsLookedAtUntilItIsSettled(_ minute: Int64) {
        var watch = FuseWatch()
        watch.recall(name, minute: minute, now: start)
        let settled = start + FuseWatch.settling
        watch.looked(name, [minute], areInDoubt: false, now: settled)
        #expect(watch.due(now: settled + FuseWatch.interval) == [name: [minute]])
        watch.looked(name, [minute], areInDoubt: false, now: start + 60_000 + settled + 1)
        #expect(watch.due(now: settled + 3_600_000).isEmpty)
    }

    @Test func aClockThatIsPutBackKeepsNobodyWaiting() {
        var watch = FuseWatch()
        watch.note(name, minute: 1000, now: start)
        watch.looked(name, [1000], areInDoubt: false, now: start)
        #expect(watch.due(now: start - 3_600_000) == [name: [1000]])
    }

    @Test func fusesHaveTheirOwnTurns() {
        var watch = FuseWatch()
        let other = FuseName(lane: "parcels", app: "another")
        watch.note(name, minute: 1000, now: start)
        watch.looked(name, [1000], areInDoubt: false, now: start)
        watch.note(other, minute: 1000, now: start)
        #expect(watch.due(now: start + 1) == [other: [1000]])
    }
}
