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
        watch.note(name, minute: 1000)
        #expect(watch.due(now: start) == [name: [1000]])
        watch.looked(name, [1000], now: start)
        #expect(watch.due(now: start + FuseWatch.interval - 1).isEmpty)
        watch.note(name, minute: 1000)
        #expect(watch.due(now: start + FuseWatch.interval - 1).isEmpty)
        #expect(watch.due(now: start + FuseWatch.interval) == [name: [1000]])
        watch.note(name, minute: 1001)
        #expect(watch.due(now: start + 1) == [name: [1000, 1001]])
    }

    /// What was counted late is seen; what cannot be counted any more is forgotten.
    @Test func aMinuteIsForgottenWhenItIsSettled() {
        var watch = FuseWatch()
        watch.note(name, minute: 1000)
        let settled = start + 60_000 + FuseWatch.settling
        watch.looked(name, [1000], now: settled)
        #expect(watch.due(now: settled + FuseWatch.interval) == [name: [1000]])
        watch.looked(name, [1000], now: settled + 1)
        #expect(watch.due(now: settled + 3_600_000).isEmpty)
    }

    /// A decision is followed first, which may take longer than anything is counted late.
    @Test func aMinuteThatCouldNotBeJudgedIsKept() {
        var watch = FuseWatch()
        let later = start + 3_600_000
        watch.note(name, minute: 1000)
        watch.postponed(name, now: later)
        #expect(watch.due(now: later + FuseWatch.interval - 1).isEmpty)
        #expect(watch.due(now: later + FuseWatch.interval) == [name: [1000]])
        watch.looked(name, [1000], now: later + FuseWatch.interval)
        #expect(watch.due(now: later + 3_600_000).isEmpty)
    }

    /// An event of long ago, when prune was away.
    @Test func anOldMinuteIsLookedAtOnce() {
        var watch = FuseWatch()
        watch.note(name, minute: 1)
        #expect(watch.due(now: start) == [name: [1]])
        watch.looked(name, [1], now: start)
        #expect(watch.due(now: start + 3_600_000).isEmpty)
    }

    @Test func fusesHaveTheirOwnTurns() {
        var watch = FuseWatch()
        let other = FuseName(lane: "parcels", app: "another")
        watch.note(name, minute: 1000)
        watch.looked(name, [1000], now: start)
        watch.note(other, minute: 1000)
        #expect(watch.due(now: start + 1) == [other: [1000]])
    }
}
