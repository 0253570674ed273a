import Testing
import WaybillTelemetry

@testable import WaybillFleet

struct FleetHealthTests {
    private struct Told: Equatable {
        let grade: FleetHealth.Grade
        let text: String

        init(_ grade: FleetHealth.Grade, _ text: String) {
            self.grade = grade
            self.text = text
        }
    }

    /// What was found, without what to do about it.
    private func told(_ health: FleetHealth) -> [Told] {
        health.findings.map { Told($0.grade, $0.text) }
    }

    @Test func aReadyDispatcherIsEnough() {
        #expect(Samples.health([Samples.lease()]).grade == .healthy)
        #expect(Samples.health([Samples.lease()]).findings.isEmpty)
    }

    @Test func withoutADispatcherNothingGoesOut() {
        #expect(told(Samples.health([])) == [.init(.down, "no dispatcher runs")])
        #expect(Samples.health([Samples.lease("prune")]).grade == .down)
        #expect(Samples.health([Samples.lease(isEnded: true)]).grade == .down)
    }

    @Test func aQueueWithoutAConsumerSaysHowMuchWaits() {
        let health = Samples.health([Samples.lease()], consumers: 0)
        #expect(
            told(health) == [
                .init(
                    .down,
                    "waybill.dispatch has no consumer, and 7 messages wait"
                )
            ]
        )
    }

    @Test func whatAProcessLacksIsNamedWithItsCause() {
        let status = """
            {"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary","since":"2023-11-14T22:11:20.000Z"}]}
            """
        let health = Samples.health([Samples.lease(status: status)])
        #expect(
            told(health) == [
                .init(.down, "dispatch on host (1) cannot use the store, for 2 min: no primary")
            ]
        )
        // While another one sends, the same is no reason to say that nothing goes out.
        #expect(Samples.health([Samples.lease(status: status), Samples.lease(process: 2)]).grade == .degraded)
    }

    private static func lacking(_ role: String, _ checks: [(name: String, cause: String, since: String)]) -> Lease {
        let texts = checks.map {
            #"{"name":"\#($0.name)","ok":false,"cause":"\#($0.cause)","since":"2023-11-14T\#($0.since).000Z"}"#
        }
        return Samples.lease(role, status: #"{"ready":false,"checks":[\#(texts.joined(separator: ","))]}"#)
    }

    /// Now is 22:13:20.
    @Test func anOutageHasOneBeginWhoeverNoticesIt() {
        let health = Samples.health([
            Self.lacking("dispatch", [("consuming", "away", "22:10:00"), ("confirms", "away", "22:09:20")]),
            Self.lacking("prune", [("consuming", "away", "22:10:50"), ("store", "no primary", "22:12:20")]),
            Self.lacking("hooks", [("log", "no primary", "22:12:50"), ("mail", "away", "22:11:20")]),
        ])
        let spans = health.findings.compactMap {
            $0.text.split(separator: ", for ").dropFirst().first?.prefix { $0 != ":" }
        }
        #expect(Set(spans.map(String.init)) == ["4 min", "60 s", "2 min"])
        #expect(spans.filter { $0 == "4 min" }.count == 2)
        #expect(spans.filter { $0 == "60 s" }.count == 2)
    }

    /// What it keeps each process from stands once for each, and why once for all.
    @Test func anOutageIsToldOnceForEachProcessAndItsCauseOnce() {
        let cause = "connect to rabbit:5672: nothing answers there; the next attempt is in "
        let leases = [
            Self.lacking(
                "dispatch",
                [("consuming", cause + "3 s", "22:12:20"), ("confirms", cause + "1 s", "22:12:25")]
            ),
            Self.lacking("prune", [("consuming", cause + "2 s", "22:12:30")]),
        ]
        #expect(
            told(Samples.health(leases)) == [
                .init(
                    .down,
                    "dispatch on host (1) takes no messages and cannot publish to the broker, for 60 s: " + cause
                        + "3 s"
                ),
                .init(.degraded, "prune on host (1) takes no messages, for 60 s"),
            ]
        )
        #expect(Set(Samples.health(leases).findings.map(\.adviceKey)) == ["broker"])
        // Where it is told of the broker itself, no process has to.
        let explained = FleetHealth(leases: leases, consumed: nil, explained: [.broker], now: Samples.now)
        #expect(!explained.findings.contains { $0.text.contains("rabbit") })
        #expect(explained.findings.count == 2)
    }

    /// What only reads the store lacks it for the same reason as who cannot use it.
    @Test func anOutageOfTheStoreIsToldOnceAlsoToItsReaders() {
        let cause = "nobody listens at the hosts of the URL"
        let health = Samples.health([
            Self.lacking("dispatch", [("store", cause, "22:12:20")]),
            Self.lacking(
                "hooks",
                [("log", cause, "22:12:20"), ("webhooks", "nothing heard of it for 91 s", "22:12:20")]
            ),
            Self.lacking("schedule", [("store", "nothing heard of it for 92 s", "22:12:20")]),
        ])
        #expect(
            told(health) == [
                .init(.down, "dispatch on host (1) cannot use the store, for 60 s: \(cause)"),
                .init(
                    .degraded,
                    "hooks on host (1) does not see what ends in the log and cannot send webhooks, for 60 s"
                ),
                .init(.degraded, "schedule on host (1) cannot use the store, for 60 s"),
            ]
        )
        #expect(Set(health.findings.map(\.adviceKey)) == ["store"])
    }

    @Test func aCauseOfItsOwnIsTold() {
        let health = Samples.health([
            Self.lacking("dispatch", [("consuming", "no route", "22:12:20")]),
            Self.lacking("prune", [("consuming", "the user is refused", "22:12:20")]),
        ])
        #expect(health.findings.map { $0.text.contains("no route") } == [true, false])
        #expect(health.findings.map { $0.text.contains("the user is refused") } == [false, true])
    }

    @Test(
        arguments: [
            (
                [("consuming", "waits for the store"), ("store", "no primary")],
                "takes no messages and cannot use the store", "no primary", "Look at MongoDB:"
            ),
            (
                [("store", "no primary"), ("log", "no answer"), ("webhooks", "no answer"), ("mail", "away")],
                "cannot use the store, does not see what ends in the log and cannot send webhooks", "no primary",
                "Look at MongoDB:"
            ),
            (
                [("consuming", "nothing heard of it for 9 s"), ("confirms", "no route")],
                "takes no messages and cannot publish to the broker", "no route", "Look at RabbitMQ:"
            ),
            ([("log", "not authorized")], "does not see what ends in the log", "not authorized", "changeStream"),
        ] as [([(String, String)], String, String, String)]
    )
    func whatHasOneCauseIsOneThing(checks: [(String, String)], words: String, cause: String, advice: String) {
        let lease = Self.lacking("hooks", checks.map { (name: $0.0, cause: $0.1, since: "22:12:20") })
        let lacks = ProcessLack.all(of: ProcessReport(lease), Outages([ProcessReport(lease)]))
        #expect(lacks.first?.words == words)
        #expect(lacks.first?.cause == cause)
        #expect(lacks.first?.advice?.contains(advice) == true)
        #expect(lacks.count == (checks.contains { $0.0 == "mail" } ? 2 : 1))
    }

    @Test(
        arguments: [
            (#"{"kind":"push_service_silent","text":"lane a: silent","lane":"a"},"#, "", ["lane a: silent"]),
            (#"{"kind":"push_service_unreached","text":"lane a: away","lane":"a"},"#, "", ["lane a: away"]),
            (#"{"kind":"dead_tokens","text":"lane a: dead","lane":"a"},"#, "", ["lane a: dead", "nothing ends"]),
            ("", #"{"name":"store","ok":false,"cause":"no primary"}"#, []),
            ("", "", ["nothing ends"]),
        ] as [(String, String, [String])]
    )
    func thatNothingIsFinishedIsToldWhereNothingElseSaysWhy(other: String, check: String, told: [String]) {
        let status =
            #"{"ready":true,"checks":[\#(check)],"troubles":[\#(other){"kind":"standstill","text":"nothing ends"}]}"#
        #expect(ProcessReport(Samples.lease(status: status)).toldTroubles.map(\.text) == told)
    }

    @Test func processesStandInTheOrderOfThePipeline() {
        let roles = ["serve", "of_tomorrow", "fanout", "dispatch", "hooks", "schedule", "prune"]
        let leases = roles.map { Samples.lease($0) } + [Samples.lease(process: 2, startedAgo: 60)]
        let order = Lease.inOrder(leases)
        #expect(
            order.map(\.role) == [
                "dispatch", "dispatch", "prune", "fanout", "schedule", "hooks", "serve", "of_tomorrow",
            ]
        )
        #expect(order.first?.process == 2)
    }

    @Test func anOutageLongBeforeIsAnother() {
        let health = Samples.health([
            Self.lacking("dispatch", [("consuming", "away", "22:10:00")]),
            Self.lacking("prune", [("consuming", "away", "22:11:20")]),
        ])
        #expect(health.findings.contains { $0.text.contains("for 3 min") })
        #expect(health.findings.contains { $0.text.contains("for 2 min") })
    }

    @Test func whoHasASuccessorIsPast() {
        let killed = Samples.lease(seenAgo: 300)
        let leases = [killed, Samples.lease(process: 2, startedAgo: 200)]
        #expect(Samples.health(leases).findings.isEmpty)
        #expect(FleetHealth.isPast(killed, among: leases, now: Samples.now))
        #expect(!FleetHealth.isPast(leases[1], among: leases, now: Samples.now))
        #expect(!FleetHealth.isPast(killed, among: [killed], now: Samples.now))
        // Where the successor is silent, too, it is the one to look after.
        let stopped = Samples.lease(process: 2, startedAgo: 200, seenAgo: 60)
        let texts = Samples.health([killed, stopped]).findings.map(\.text)
        #expect(texts.contains { $0.hasPrefix("dispatch on host (2) has said nothing") })
        #expect(!texts.contains { $0.contains("(1)") })
    }

    @Test func whatGoesWrongIsSaidInTheProcessesOwnWords() {
        let health = Samples.health([
            Samples.lease(
                status:
                    #"{"ready":true,"troubles":[{"kind":"push_service_silent","text":"lane a: no answer","lane":"a","advice":"Look."}]}"#
            )
        ])
        #expect(told(health) == [.init(.degraded, "dispatch on host (1): lane a: no answer")])
        #expect(health.findings.map(\.kind) == [.pushServiceSilent])
        #expect(health.findings.map(\.lane) == ["a"])
    }

    @Test func everyKindOfTroubleIsAKindOfFinding() {
        for kind in TroubleKind.allCases { #expect(FindingKind(kind).rawValue == kind.rawValue) }
    }

    /// Processes of two releases stand side by side during an upgrade.
    @Test(arguments: ["", #""kind":"of_tomorrow","#])
    func aTroubleOfAnotherReleaseIsTold(kind: String) {
        let health = Samples.health([
            Samples.lease(status: #"{"ready":true,"troubles":[{\#(kind)"text":"it is new"}]}"#)
        ])
        #expect(told(health) == [.init(.degraded, "dispatch on host (1): it is new")])
        #expect(health.findings.map(\.kind) == [.otherTrouble])
    }

    @Test(
        arguments: [
            (#"{"ready":true,"troubles":[{"text":"a","advice":"Look at it."}]}"#, "Look at it."),
            (
                #"{"ready":true,"lanes":[{"name":"a","state":"parked","advice":"Correct the key."}]}"#,
                "Correct the key."
            ),
            (#"{"ready":true,"stuck":[{"thread":"wb-log-0","busy_seconds":77}]}"#, "restart the process"),
            (
                #"{"ready":false,"checks":[{"name":"confirms","ok":false,"cause":"an alarm of the broker"}]}"#,
                "disk or memory"
            ),
            (
                #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"waits for the store"}]}"#,
                "see what is said of the store"
            ),
            (
                #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"connection refused"}]}"#,
                "Look at RabbitMQ"
            ),
            (
                #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"nothing heard of it for 9 s"}]}"#,
                "Look at RabbitMQ first: most likely it hangs"
            ),
            (
                #"{"ready":false,"checks":[{"name":"store","ok":false,"cause":"nothing heard of it for 11 s"}]}"#,
                "Look at MongoDB first: most likely it hangs"
            ),
            (
                #"{"ready":false,"checks":[{"name":"listener","ok":false,"cause":"nothing heard of it for 11 s"}]}"#,
                "The thread that should say so hangs"
            ),
            (#"{"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary"}]}"#, "Look at MongoDB"),
            (#"{"ready":false,"checks":[{"name":"listener","ok":false,"cause":"taken"}]}"#, "end the other one"),
            (#"{"ready":false}"#, "Look at its log"),
        ]
    )
    func whatToDoIsSaidBesides(status: String, advice: String) {
        let given = Samples.health([Samples.lease(status: status)]).findings.first?.advice
        #expect(given?.contains(advice) == true, "\(given ?? "no advice")")
    }

    @Test func whatToDoAboutAMissingProcessDependsOnWhatElseIsThere() {
        #expect(Samples.health([]).findings.allSatisfy { $0.advice?.contains("Start waybill dispatch") == true })
        // A dispatcher may have got messages after its last word: another one gets them when it is ended.
        let alone = Samples.health([Samples.lease(seenAgo: 9)]).findings.first?.advice
        #expect(alone?.contains("end it first (kill -KILL 1 there): what it may have got after its last word") == true)
        let prune = Samples.health([Samples.lease("prune", seenAgo: 9), Samples.lease()]).findings.first?.advice
        #expect(prune?.contains("look at it on host") == true)
        #expect(
            Samples.health([Samples.lease()], consumers: 0).findings.first?.advice?.contains("broker.dispatch_queues")
                == true
        )
        let silent = Samples.health([Samples.lease(seenAgo: 9)], consumers: 0).findings.map(\.advice)
        #expect(silent.contains { $0?.contains("No dispatcher runs, or none can") == true })
    }

    @Test func theWorstComesFirstAndElseWhatWasFoundFirst() {
        let health = FleetHealth(
            [("a", .degraded), ("b", .down), ("c", .degraded), ("d", .down)].map {
                FleetHealth.Finding(.standstill, $1, $0)
            }
        )
        #expect(health.findings.map(\.text) == ["b", "d", "a", "c"])
    }

    @Test(arguments: [("open", .degraded), ("paused", .degraded), (nil, .down)] as [(String?, FleetHealth.Grade)])
    func aParkedLaneIsNamedWithItsCause(other: String?, grade: FleetHealth.Grade) {
        let another = other.map { #",{"name":"b","state":"\#($0)"}"# } ?? ""
        let status = """
            {"ready":true,"lanes":[{"name":"a","state":"parked","cause":"InvalidProviderToken","since":"2023-11-14T20:13:20.000Z"}\(another)]}
            """
        #expect(
            told(Samples.health([Samples.lease(startedAgo: 10_000, status: status)])).first
                == .init(grade, "dispatch on host (1): lane a is parked, for 2 h: InvalidProviderToken")
        )
        // What the first push after a start finds was so before, and nobody knows for how long.
        #expect(
            told(Samples.health([Samples.lease(startedAgo: 7210, status: status)])).first
                == .init(grade, "dispatch on host (1): lane a is parked, for at least 2 h: InvalidProviderToken")
        )
    }

    /// A lane that was sound in this process has been parked since then, however young the process is.
    @Test(arguments: [("true", ""), ("false", "at least ")])
    func whatWasSoundBeforeIsSoExactlySinceThen(isExact: String, words: String) {
        let status = """
            {"ready":true,"lanes":[{"name":"a","state":"parked","since":"2023-11-14T20:13:20.000Z","since_exact":\(isExact)}]}
            """
        let texts = told(Samples.health([Samples.lease(startedAgo: 7210, status: status)])).map(\.text)
        #expect(texts == ["dispatch on host (1): lane a is parked, for \(words)2 h"])
    }

    /// An order has its own time, and says it.
    @Test(arguments: [("paused", ""), ("draining", ""), ("parked", "at least "), ("probing", "at least ")])
    func whatAnOperatorOrderedIsSoExactlySinceThen(state: String, words: String) {
        let status = #"{"ready":true,"lanes":[{"name":"a","state":"\#(state)","since":"2023-11-14T20:13:20.000Z"}]}"#
        let texts = told(Samples.health([Samples.lease(startedAgo: 7210, status: status)])).map(\.text)
        #expect(texts == ["dispatch on host (1): lane a is \(state), for \(words)2 h"])
    }

    private static let troubled = #"{"ready":true,"troubles":[{"kind":"dead_tokens","text":"lane a: dead"}]}"#

    /// A killed dispatcher's lease stands for some seconds; the broker has missed it long before.
    @Test(
        arguments: [
            // Its lease is fresh, and the broker knows of no consumer.
            ([Samples.lease(status: troubled)], 0, 0), ([Samples.lease(status: troubled)], 1, 1),
            // Of two that say that they read the queue, one does: the one whose lease was renewed in time.
            ([Samples.lease(seenAgo: 5, status: troubled), Samples.lease(process: 2)], 1, 0),
            ([Samples.lease(seenAgo: 5, status: troubled), Samples.lease(process: 2)], 2, 1),
            ([Samples.lease(seenAgo: 2, status: troubled), Samples.lease(process: 2)], 1, 1),
            // Whoever reads other queues is not missed here.
            (
                [
                    Samples.lease(
                        status: #"{"ready":true,"queues":["other"],"troubles":[{"kind":"dead_tokens","text":"dead"}]}"#
                    )
                ],
                0, 1
            ),
        ] as [([Lease], Int, Int)]
    )
    func whatAProcessSaidBeforeTheBrokerLostItIsNotTold(leases: [Lease], consumers: Int, count: Int) {
        let found = Samples.health(leases, consumers: consumers).findings
        #expect(found.count { $0.kind == .deadTokens } == count)
        #expect(found.contains { $0.kind == .queueUnread } == (consumers == 0))
    }

    /// It comes to its queues one after the other; what it says holds meanwhile.
    @Test(arguments: [(1, 1), (7200, 0)])
    func whatAYoungDispatcherSaysIsTold(startedAgo: Int64, count: Int) {
        let lease = Samples.lease(startedAgo: startedAgo, status: Self.troubled)
        let queues = [("waybill.dispatch", 1), ("waybill.bulk", 0)].map {
            FleetHealth.Queue(name: $0, messages: 0, consumers: $1)
        }
        let found = FleetHealth(leases: [lease], consumed: queues, now: Samples.now).findings
        #expect(found.count { $0.kind == .deadTokens } == count)
    }

    @Test func aRefusedReloadIsToldOnceForAllRolesOfAProcess() {
        let status =
            #"{"ready":true,"troubles":[{"kind":"reload_refused","text":"a reload was refused","advice":"Correct it."}]}"#
        let roles = ["dispatch", "prune", "fanout"].map { Samples.lease($0, status: status) }
        let other = Samples.lease("prune", process: 2, status: status)
        #expect(
            told(Samples.health(roles + [other])).map(\.text) == [
                "dispatch on host (1): a reload was refused", "prune on host (2): a reload was refused",
            ]
        )
    }

    @Test func aThreadThatHangsIsNamed() {
        let health = Samples.health([
            Samples.lease(status: #"{"ready":true,"stuck":[{"thread":"wb-log-0","busy_seconds":77}]}"#)
        ])
        #expect(
            told(health) == [
                .init(
                    .degraded,
                    "dispatch on host (1): thread wb-log-0 has not come round for 77 s"
                )
            ]
        )
    }

    @Test(arguments: [(8, true), (9, false)] as [(Int64, Bool)])
    func aLeaseThatIsNotRenewedIsOneOfAProcessThatIsGone(seconds: Int64, isHealthy: Bool) {
        let health = Samples.health([Samples.lease(seenAgo: seconds), Samples.lease(process: 2)])
        #expect((health.grade == .healthy) == isHealthy)
        if !isHealthy {
            #expect(told(health) == [.init(.degraded, Self.silence)])
        }
    }

    private static let silence =
        "dispatch on host (1) has said nothing for 9 s"

    @Test func theSilenceOfTheOnlyDispatcherIsTheFirstToKnow() {
        let leases = [Samples.lease(seenAgo: 9), Samples.lease("prune")]
        #expect(told(Samples.health(leases, consumers: nil)) == [.init(.down, Self.silence)])
        let reads = "; the broker counts a consumer of it still, and hands it what is published"
        #expect(told(Samples.health(leases)) == [.init(.down, Self.silence + reads)])
    }

    @Test func aProcessThatHasTakenTheOthersPlaceExcusesIt() {
        let gone = Samples.lease(seenAgo: 300)
        #expect(Samples.health([gone, Samples.lease(process: 2, startedAgo: 200)]).grade == .healthy)
        #expect(Samples.health([gone, Samples.lease(process: 2, startedAgo: 400)]).grade == .degraded)
        #expect(Samples.health([gone, Samples.lease("prune", process: 2, startedAgo: 200)]).grade == .down)
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"ready":"yes"}"#])
    func aStatusThatCannotBeReadIsNotReady(status: String) {
        #expect(
            told(Samples.health([Samples.lease(status: status)])) == [
                .init(.down, "no dispatcher is ready, and none says why")
            ]
        )
    }

    @Test(
        arguments: [
            (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_799, "47 h"),
            (172_800, "2 d"),
        ] as [(Int64, String)]
    )
    func agesAreWholeUnits(seconds: Int64, text: String) {
        #expect(FleetHealth.age(Samples.now - seconds * 1000, Samples.now) == text)
    }

    // MARK: - Told to end

    private static func stopping(_ messages: Int, checks: String = "", troubles: String = "") -> String {
        """
        {"ready":false,"stopping":true,"in_flight":{"messages":\(messages),"unstarted":0},"checks":[\(checks)],
        "troubles":[\(troubles)]}
        """
    }

    private static let silentCheck =
        #"{"name":"consuming","ok":false,"cause":"nothing heard of it for 9 s","since":"2023-11-14T22:13:10.000Z"}"#
    private static let ending =
        "dispatch on host (1) is stopping (told to end, as by SIGTERM): it takes no new messages and "

    /// From the first moment, and when the thread that takes messages has been quiet for long.
    @Test(
        arguments: [
            (stopping(0), "has none in hand"), (stopping(1), "finishes 1 that it has in hand"),
            (stopping(3, checks: silentCheck), "finishes 3 that it has in hand"),
            (
                stopping(
                    3,
                    troubles: #"{"kind":"standstill","text":"holds 3 messages and has finished nothing for 9 s"}"#
                ),
                "finishes 3 that it has in hand"
            ),
        ]
    )
    func theOnlyDispatcherThatStopsIsNoFaultOfTheBroker(status: String, rest: String) {
        let health = Samples.health([Samples.lease(status: status)])
        #expect(told(health) == [.init(.down, Self.ending + rest), .init(.down, "no other dispatcher runs")])
        #expect(health.findings.map { $0.advice?.contains("RabbitMQ") } == [false, false])
        #expect(health.findings.last?.advice?.hasPrefix("Start another one") == true)
        // What to do is said once, also where the broker has no consumer any more.
        let unread = Samples.health([Samples.lease(status: status)], consumers: 0).findings
        #expect(unread.count == 3 && Set(unread.map(\.adviceKey)).count == 2)
    }

    @Test func whoStopsWhileAnotherWorksIsNothingToLookAt() {
        let stops = Samples.lease(status: Self.stopping(3, checks: Self.silentCheck))
        #expect(Samples.health([stops, Samples.lease(process: 2)]).findings.isEmpty)
        // What it cannot do with what it has in hand is told all the same.
        let store = #"{"name":"store","ok":false,"cause":"no primary"}"#
        let away = Samples.lease(status: Self.stopping(3, checks: store))
        #expect(
            told(Samples.health([away, Samples.lease(process: 2)])) == [
                .init(.degraded, "dispatch on host (1) cannot use the store: no primary")
            ]
        )
    }

    @Test func anotherOneIsNotMissingWhereOneIsThatCannotWork() {
        let stops = Samples.lease(status: Self.stopping(1))
        let lacks = Samples.lease(
            process: 2,
            status: #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"waits for the store"}]}"#
        )
        for other in [lacks, Samples.lease(process: 2, seenAgo: 9)] {
            let texts = Samples.health([stops, other]).findings.map(\.text)
            #expect(texts.count == 2 && texts.contains { $0.hasPrefix(Self.ending) }, "\(texts)")
            #expect(!texts.contains("no other dispatcher runs"))
        }
    }
}
