import Testing
import WaybillThreads

@testable import WaybillTelemetry

struct ProcessViewTests {
    /// Work that is as it is told to be.
    private final class Work: ObservedWork {
        let watch = LoopWatch(name: "wb-test")
        let condition = Condition(name: "store", freshness: .seconds(20), cause: "not there")
        let count: Int

        init(count: Int = 0) { self.count = count }

        var loops: [LoopWatch] { [watch] }

        func status() -> WorkStatus {
            var status = WorkStatus()
            status.checks = [condition.check()]
            status.queues = ["waybill.dispatch"]
            status.inFlight = [("messages", count)]
            status.consumers = [("waybill.dispatch", 1), ("of.\(count)", 1)]
            return status
        }

        func measure(into page: inout MetricsPage) {
            page.add(Metric("waybill_things_total", .counter, "Things."), count)
        }
    }

    private final class Heard: Sendable {
        private let noted = Guarded<[String]>([])
        var words: [String] { noted.withLock { $0 } }

        func note(_ word: String) { noted.withLock { $0.append(word) } }
    }

    private let view = ProcessView(
        ProcessView.Identity(role: "dispatch", version: "1.2.3", host: "a", process: 7, started: 1_700_000_000_000)
    )

    @Test("during a reload what the older worker has in hand counts, too")
    func inHand() {
        view.began(0, Work(count: 5))
        view.began(1, Work(count: 2))
        let status = String(decoding: view.statusJSON(), as: UTF8.self)
        #expect(status.contains(#""in_flight":{"messages":7}"#), "\(status)")
        #expect(status.contains(#""consumers":{"waybill.dispatch":2,"of.2":1,"of.5":1}"#), "\(status)")
        view.ended(0)
        #expect(String(decoding: view.statusJSON(), as: UTF8.self).contains(#""in_flight":{"messages":2}"#))
    }

    @Test func withoutAWorkerItIsNotReady() {
        #expect(!view.isReady)
        #expect(view.summary == "starting")
        #expect(view.metrics().value("waybill_ready") == 0)
    }

    @Test func itIsReadyWhenTheWorkerHasAllItNeeds() {
        let work = Work()
        view.began(0, work)
        #expect(!view.isReady)
        #expect(view.summary == "waiting: store: not there")
        #expect(view.metrics().value("waybill_condition_up", ["condition": "store"]) == 0)
        work.condition.holds()
        #expect(view.isReady)
        #expect(view.summary == "working")
        #expect(view.metrics().value("waybill_condition_up", ["condition": "store"]) == 1)
        view.stops()
        #expect(!view.isReady)
        #expect(view.summary.hasPrefix("stopping"))
        let ready = String(decoding: view.readinessJSON(), as: UTF8.self)
        #expect(ready.hasPrefix(#"{"ready":false,"stopping":true,"#))
    }

    /// Those who tell others write it down before the work is told to end.
    @Test func whoWantsToHearOfTheEndDoesSoAtOnceAndOnce() {
        let heard = Heard()
        view.whenStopping { [view] in heard.note("early \(view.isReady) \(view.isStopping)") }
        #expect(heard.words.isEmpty)
        view.stops()
        #expect(heard.words == ["early false true"])
        view.stops()
        view.whenStopping { heard.note("late") }
        #expect(heard.words == ["early false true", "late"])
    }

    @Test func theNewestWorkerSpeaksAndAllOfThemCount() {
        let (old, new) = (Work(count: 5), Work(count: 2))
        old.condition.holds()
        view.began(0, old)
        view.began(1, new)
        #expect(!view.isReady)
        #expect(view.metrics().value("waybill_things_total") == 7)
        view.ended(0)
        #expect(view.metrics().value("waybill_things_total") == 7)
        view.ended(1)
        #expect(view.metrics().value("waybill_things_total") == 7)
        #expect(view.summary == "starting")
    }

    @Test func aReloadSaysWhatItWaitsFor() throws {
        let (old, new) = (Work(count: 5), Work(count: 2))
        view.began(0, old)
        #expect(view.reload == nil)
        view.began(1, new)
        #expect(view.reload == "the new configuration starts")
        new.condition.holds()
        view.finishes(0)
        #expect(view.reload == "the previous configuration finishes 5 messages")
        view.reloadIsAskedAgain(true)
        let text = "the previous configuration finishes 5 messages; the next reload waits for that"
        #expect(view.summary == "working; \(text)")
        #expect(String(decoding: view.statusJSON(), as: UTF8.self).contains(#""reload":"\#(text)""#))
        view.ended(0)
        #expect(view.reload == nil)
        #expect(view.summary == "working")
    }

    /// From the first one that was refused, until a configuration is in force that was read after it.
    @Test func aRefusedReloadIsToldUntilOneIsNot() throws {
        let work = Work()
        work.condition.holds()
        view.began(0, work)
        #expect(view.metrics().value("waybill_configuration_reload_failed") == 0)
        let begin = WallClock.milliseconds() - 180_000
        view.reloadIsRefused("lanes[0].key_file (line 3): no such file", now: begin)
        view.reloadIsRefused("lanes[0].key_id (line 4): missing", now: begin + 90_000)
        #expect(view.metrics().value("waybill_configuration_reload_failed") == 1)
        #expect(view.isReady)
        #expect(view.summary == "working; a reload was refused: lanes[0].key_id (line 4): missing")
        let text =
            "a reload was refused 3 min ago, and the configuration before it stays in force: lanes[0].key_id (line 4): missing"
        let status = String(decoding: view.statusJSON(), as: UTF8.self)
        #expect(status.contains(#""kind":"reload_refused","text":"\#(text)""#), "\(status)")
        view.reloadIsDone()
        #expect(view.metrics().value("waybill_configuration_reload_failed") == 0)
        #expect(!String(decoding: view.statusJSON(), as: UTF8.self).contains("reload_refused"))
    }

    @Test func aReloadNamesTheLanesThatHoldItUp() {
        var status = WorkStatus()
        status.inFlight = [("messages", 1), ("notifications", 43)]
        status.lanes = ["idle", "parcels", "calls"].map { LaneStatus(name: $0) }
        (status.lanes[1].streams, status.lanes[1].waiting, status.lanes[2].streams) = (40, 3, 7)
        #expect(
            ReloadProgress(finishing: status).text
                == "the previous configuration finishes 1 message (lane parcels: 40 in flight, 3 waiting; lane calls: 7 in flight)"
        )
    }

    @Test func aLoopThatIsAtTheSameThingForLongIsStuck() {
        let work = Work()
        view.began(0, work)
        let now = MonotonicTime.now()
        work.watch.works(since: now)
        #expect(view.stuckLoops(now: now.advanced(by: .seconds(60))).isEmpty)
        let stuck = view.stuckLoops(now: now.advanced(by: .seconds(61)))
        #expect(stuck.map(\.name) == ["wb-test"])
        #expect(view.metrics().value("waybill_stuck_threads") == 0)
        work.watch.works(since: now.advanced(by: .seconds(-61)))
        #expect(view.metrics().value("waybill_stuck_threads") == 1)
        work.watch.waits()
        #expect(view.stuckLoops(now: now.advanced(by: .seconds(3600))).isEmpty)
    }

    @Test func theStatusIsOneObject() throws {
        let work = Work(count: 3)
        work.condition.holds()
        view.began(0, work)
        let text = String(decoding: view.statusJSON(), as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"role":"dispatch","version":"1.2.3","host":"a","pid":7,"since":"2023-11-14T22:13:20.000Z""#
            )
        )
        #expect(text.contains(#""ready":true,"checks":[{"name":"store","ok":true,"since":""#))
        #expect(
            text.hasSuffix(
                #""queues":["waybill.dispatch"],"consumers":{"waybill.dispatch":1,"of.3":1},"in_flight":{"messages":3},"totals":{},"rates":{"1m":{},"15m":{}},"lanes":[],"stuck":[],"troubles":[],"needs":[]}"#
            )
        )
    }
}
