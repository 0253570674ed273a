import Testing

@testable import WaybillFleet

@Suite("Dispatchers that are silent and may hold messages, and processes that start")
struct FleetPresenceTests {
    private static let working =
        #"{"ready":true,"queues":["waybill.dispatch"],"in_flight":{"messages":0,"unstarted":0}}"#
    private static let holding =
        #"{"ready":true,"queues":["waybill.dispatch"],"in_flight":{"messages":55,"unstarted":5}}"#

    @Test(
        "a replaced one is named while the broker has its consumer, and where that is not known for a minute",
        arguments: [
            (holding, 45, 2, true), (holding, 45, 1, false), (holding, 3000, 2, true), (holding, 3000, 1, false),
            (holding, 45, nil, true), (holding, 61, nil, false), (working, 61, 2, false), (working, 45, nil, false),
            (working, 45, 1, false),
        ] as [(String, Int64, Int?, Bool)]
    )
    func replaced(status: String, seenAgo: Int64, consumers: Int?, isNamed: Bool) {
        let stuck = Samples.lease(seenAgo: seenAgo, status: status)
        let leases = [stuck, Samples.lease(process: 2, startedAgo: seenAgo - 15, status: Self.working)]
        let health = Samples.health(leases, consumers: consumers)
        #expect(health.findings.map(\.kind) == (isNamed ? [.processSilent] : []))
        #expect(health.grade == (isNamed ? .degraded : .healthy))
        if isNamed {
            #expect(health.findings[0].text.hasSuffix("; it had 60 messages in hand, and may hold them still"))
            #expect(health.findings[0].advice?.contains("end it first (kill -KILL 1 there)") == true)
        }
    }

    @Test(
        "of several that were replaced, those hold messages that were heard of last, as many as the broker has consumers more",
        arguments: [(1, []), (2, [45]), (3, [45, 300]), (4, [45, 300, 660]), (9, [45, 300, 660])] as [(Int, [Int64])]
    )
    func severalReplaced(consumers: Int, named: [Int64]) {
        let silent = [660, 45, 300].map { (seenAgo: Int64) in
            Samples.lease(process: Int32(seenAgo), seenAgo: seenAgo, status: Self.holding)
        }
        let health = Samples.health(
            silent + [Samples.lease(process: 2, startedAgo: 30, status: Self.working)],
            consumers: consumers
        )
        let told = [45, 300, 660].filter { seen in health.findings.contains { $0.text.contains("(\(seen))") } }
        #expect(told == named.map { Int($0) })
    }

    @Test(
        "what one held whose consumer the broker does not have is delivered again",
        arguments: [(0, "which are delivered again"), (1, "and may hold them still"), (nil, "and may hold them still")]
            as [(Int?, String)]
    )
    func takenBack(consumers: Int?, words: String) {
        let health = Samples.health([Samples.lease(seenAgo: 75, status: Self.holding)], consumers: consumers)
        #expect(
            health.findings.first { $0.kind == .processSilent }?.text.hasSuffix(
                "; it had 60 messages in hand, \(words)"
            ) == true
        )
    }

    @Test(
        "consumers that a dispatcher has ended, and the broker still counts, are no sign of another one",
        arguments: [
            (nil, 2, true), (#"{"waybill.dispatch":1}"#, 2, true), (#"{"waybill.dispatch":2}"#, 2, false),
            (#"{"waybill.dispatch":2}"#, 3, true), (#"{"waybill.dispatch":0}"#, 1, true),
            (#"{"waybill.dispatch":0}"#, 0, false), (#"{"other":2}"#, 1, true),
        ] as [(String?, Int, Bool)]
    )
    func endedConsumers(said: String?, counted: Int, isNamed: Bool) {
        let member = said.map { #""consumers":\#($0),"# } ?? ""
        let status = #"{\#(member)"ready":true,"queues":["waybill.dispatch"],"in_flight":{"messages":4}}"#
        let leases = [
            Samples.lease(seenAgo: 300, status: Self.holding),
            Samples.lease(process: 2, startedAgo: 200, status: status),
        ]
        #expect(Samples.health(leases, consumers: counted).findings.contains { $0.kind == .processSilent } == isNamed)
    }

    /// One that was stopped goes on being handed messages until the broker misses its heartbeats.
    @Test(
        "an idle one that was replaced is named while the broker counts a consumer of it",
        arguments: [
            // Seconds since its last word, what its successor says after how many seconds, the broker's count.
            (9, nil, 100, 2, true), (59, nil, 100, 2, true), (9, nil, 100, 1, false),
            (9, 1, 100, 2, true), (9, 1, 5, 2, true),
            // The successor may have come to its queue since its last word.
            (9, 0, 5, 1, false), (9, 0, 5, 2, true), (9, 0, 19, 1, false), (9, 0, 100, 1, true),
        ] as [(Int64, Int?, Int64, Int, Bool)]
    )
    func idleButRead(seenAgo: Int64, said: Int?, age: Int64, consumers: Int, isNamed: Bool) {
        let member = said.map { #""consumers":{"waybill.dispatch":\#($0)},"# } ?? ""
        let status = #"{\#(member)"ready":true,"queues":["waybill.dispatch"]}"#
        let stopped = Samples.lease(seenAgo: seenAgo, status: Self.working)
        // It has been started after the last word of the other one.
        let started = min(age, seenAgo - 1)
        let leases =
            [stopped, Samples.lease(process: 2, startedAgo: age == 100 ? age : started, status: status)]
            + (age == 100 ? [Samples.lease(process: 3, startedAgo: seenAgo - 1, isEnded: true)] : [])
        let health = Samples.health(leases, consumers: consumers)
        #expect(health.findings.map(\.kind) == (isNamed ? [.processSilent] : []))
        #expect(
            FleetHealth.isPast(stopped, among: leases, queues: Self.queues(consumers), now: Samples.now) == !isNamed
        )
        guard let finding = health.findings.first else { return }
        #expect(
            finding.text
                == "dispatch on host (1) has said nothing for \(seenAgo) s; the broker counts a consumer of it still, "
                + "and hands it what is published"
        )
        #expect(finding.grade == .degraded && finding.advice?.contains("end it first (kill -KILL 1 there)") == true)
    }

    private static func queues(_ consumers: Int) -> [FleetHealth.Queue] {
        [FleetHealth.Queue(name: "waybill.dispatch", messages: 7, consumers: consumers)]
    }

    @Test(
        "a consumer of several idle ones is that of the one which was heard of last, and one without the queue has none"
    )
    func severalIdle() {
        let killed = Samples.lease(process: 3, seenAgo: 40, status: Self.working)
        let stopped = Samples.lease(process: 4, seenAgo: 20, status: Self.working)
        let other = Samples.lease(process: 5, seenAgo: 9, status: #"{"ready":true,"queues":["other"]}"#)
        let leases = [killed, stopped, other, Samples.lease(process: 2, startedAgo: 8, status: Self.working)]
        let named = leases.filter {
            FleetHealth.keepsConsumer($0, among: leases, Self.queues(2), now: Samples.now)
        }
        #expect(named == [stopped])
        #expect(!FleetHealth.keepsConsumer(stopped, among: leases, nil, now: Samples.now))
        #expect(!FleetHealth.keepsConsumer(stopped, among: leases, [], now: Samples.now))
    }

    @Test("those that may hold messages stand first, wherever they stand among the others")
    func holdingFirst() {
        let silent = [(1, Self.working), (3, Self.holding)].map { (process: Int32, status: String) in
            Samples.lease(process: process, seenAgo: 45, status: status)
        }
        let names = Samples.health(silent, consumers: 1).findings.filter { $0.kind == .processSilent }.map(\.text)
        #expect(names.map { $0.contains("(3)") } == [true, false])
    }

    @Test("one that has said that it ended holds nothing")
    func ended() {
        let leases = [
            Samples.lease(seenAgo: 45, isEnded: true, status: Self.holding),
            Samples.lease(process: 2, status: Self.working),
        ]
        #expect(Samples.health(leases, consumers: 2).findings.isEmpty)
    }

    @Test(
        "after an outage of the store all are silent; one that could write shows that there was none",
        arguments: [([], false), ([9, 9], true), ([9, 1], false), ([3000], true)] as [([Int64], Bool)]
    )
    func outage(seenAgo: [Int64], areSilent: Bool) {
        let leases = seenAgo.map { Samples.lease(seenAgo: $0, status: Self.working) }
        #expect(FleetHealth.areAllSilent(leases, now: Samples.now) == areSilent)
        let ended = Samples.lease("prune", seenAgo: 1, isEnded: true, status: Self.working)
        #expect(FleetHealth.areAllSilent(leases + [ended], now: Samples.now) == areSilent)
    }

    private static func starting(_ causes: [String]) -> String {
        let checks = causes.map {
            #"{"name":"consuming","ok":false,"cause":"\#($0)","since":"2023-11-14T22:13:19.000Z"}"#
        }
        return #"{"ready":false,"checks":[\#(checks.joined(separator: ","))]}"#
    }

    @Test(
        "one that starts is told as such, for as long as a start may take",
        arguments: [
            ([], 1, .processStarting), (["not connected yet", "nothing written yet"], 1, .processStarting),
            (["waits for the store", "nothing confirmed yet"], 9, .processStarting),
            (["not connected yet"], 11, .processLacks), ([], 11, .dispatcherNotReady),
            (["connect to rabbit:5672: nothing answers there"], 1, .processLacks),
        ] as [([String], Int64, FindingKind)]
    )
    func start(causes: [String], age: Int64, kind: FindingKind) {
        let lease = Samples.lease(startedAgo: age, status: Self.starting(causes))
        let health = Samples.health([lease], consumers: 1)
        #expect(Set(health.findings.map(\.kind)) == [kind])
        #expect(health.grade == .down)
        if kind == .processStarting {
            #expect(health.findings.map(\.text) == ["dispatch on host (1) is starting"])
            #expect(health.findings.allSatisfy { $0.advice == nil })
        }
    }

    @Test("a second one that starts keeps nobody from sending, and a queue is read in a moment")
    func others() {
        let lease = Samples.lease(process: 2, startedAgo: 1, status: Self.starting([]))
        #expect(Samples.health([Samples.lease(status: Self.working), lease], consumers: 1).grade == .degraded)
        let unread = Samples.health([lease], consumers: 0).findings.first { $0.kind == .queueUnread }
        #expect(unread?.advice == "A dispatcher is starting, and reads it in a moment.")
    }

    @Test(
        "one that works and has just started reads its queues in a moment; later nobody does",
        arguments: [(1, .degraded), (19, .degraded), (21, .down)] as [(Int64, FleetHealth.Grade)]
    )
    func takingUp(age: Int64, grade: FleetHealth.Grade) {
        func unread(others: Int) -> [FleetHealth.Finding] {
            let queues = [("a", others), ("b", 0)].map { FleetHealth.Queue(name: $0.0, messages: 3, consumers: $0.1) }
            let lease = Samples.lease(startedAgo: age, status: Self.working)
            return FleetHealth.unread(queues, by: [lease], now: Samples.now)
        }
        let found = unread(others: 1)
        #expect(found.map(\.grade) == [grade])
        let isStarting = found[0].advice == "A dispatcher is starting, and reads it in a moment."
        #expect(isStarting == (grade == .degraded))
        // One that reads nothing was killed just now.
        #expect(unread(others: 0).map(\.grade) == [.down, .down])
    }
}
