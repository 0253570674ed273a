import Testing

@testable import WaybillFleet

struct FleetHealthTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let ready =
        #"{"ready":true,"checks":[{"name":"store","ok":true}],"lanes":[{"name":"a","state":"open"}]}"#

    private static func lease(
        _ role: String = "dispatch",
        process: Int32 = 1,
        startedAgo: Int64 = 3600,
        seenAgo: Int64 = 2,
        isEnded: Bool = false,
        status: String = ready
    ) -> Lease {
        Lease(
            role: role,
            host: "host",
            process: process,
            version: "1.2.3",
            started: now - startedAgo * 1000,
            seen: now - seenAgo * 1000,
            isEnded: isEnded,
            status: Array(status.utf8)
        )
    }

    private func health(_ leases: [Lease], consumers: Int = 1) -> FleetHealth {
        FleetHealth(
            leases: leases,
            consumed: [FleetHealth.Queue(name: "waybill.dispatch", messages: 7, consumers: consumers)],
            now: Self.now
        )
    }

    @Test func aReadyDispatcherIsEnough() {
        #expect(health([Self.lease()]).grade == .healthy)
        #expect(health([Self.lease()]).findings.isEmpty)
    }

    @Test func withoutADispatcherNothingGoesOut() {
        #expect(health([]).findings == [.init(.down, "no dispatcher runs: start waybill dispatch")])
        #expect(health([Self.lease("prune")]).grade == .down)
        #expect(health([Self.lease(isEnded: true)]).grade == .down)
    }

    @Test func aQueueWithoutAConsumerSaysHowMuchWaits() {
        let health = health([Self.lease()], consumers: 0)
        #expect(
            health.findings == [
                .init(
                    .down,
                    "waybill.dispatch has no consumer, and 7 messages wait: no dispatcher runs, or none can take messages now"
                )
            ]
        )
    }

    @Test func whatAProcessLacksIsNamedWithItsCause() {
        let status = """
            {"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary","since":"2023-11-14T22:11:20.000Z"}]}
            """
        let health = health([Self.lease(status: status)])
        #expect(
            health.findings == [
                .init(.down, "dispatch on host (1) cannot use the store, for 2 min: no primary")
            ]
        )
        // While another one sends, the same is no reason to say that nothing goes out.
        #expect(self.health([Self.lease(status: status), Self.lease(process: 2)]).grade == .degraded)
    }

    @Test func whoHasASuccessorIsPast() {
        let killed = Self.lease(seenAgo: 300)
        let leases = [killed, Self.lease(process: 2, startedAgo: 200)]
        #expect(health(leases).findings.isEmpty)
        #expect(FleetHealth.isPast(killed, among: leases, now: Self.now))
        #expect(!FleetHealth.isPast(leases[1], among: leases, now: Self.now))
        #expect(!FleetHealth.isPast(killed, among: [killed], now: Self.now))
        // Where the successor is silent, too, it is the one to look after.
        let stopped = Self.lease(process: 2, startedAgo: 200, seenAgo: 60)
        let texts = health([killed, stopped]).findings.map(\.text)
        #expect(texts.contains { $0.hasPrefix("dispatch on host (2) has said nothing") })
        #expect(!texts.contains { $0.contains("(1)") })
    }

    @Test func whatGoesWrongIsSaidInTheProcessesOwnWords() {
        let health = health([Self.lease(status: #"{"ready":true,"troubles":["lane a: the push service is silent"]}"#)])
        #expect(health.findings == [.init(.degraded, "dispatch on host (1): lane a: the push service is silent")])
    }

    @Test func theWorstComesFirstAndElseWhatWasFoundFirst() {
        let health = FleetHealth([.init(.degraded, "a"), .init(.down, "b"), .init(.degraded, "c"), .init(.down, "d")])
        #expect(health.findings.map(\.text) == ["b", "d", "a", "c"])
    }

    @Test func aParkedLaneIsNamedWithItsCause() {
        let status = """
            {"ready":true,"lanes":[{"name":"a","state":"parked","cause":"InvalidProviderToken","since":"2023-11-14T20:13:20.000Z"}]}
            """
        #expect(
            health([Self.lease(status: status)]).findings == [
                .init(.degraded, "dispatch on host (1): lane a is parked, for 2 h: InvalidProviderToken")
            ]
        )
    }

    @Test func aThreadThatHangsIsNamed() {
        let health = health([Self.lease(status: #"{"ready":true,"stuck":[{"thread":"wb-log-0","busy_seconds":77}]}"#)])
        #expect(
            health.findings == [
                .init(
                    .degraded,
                    "dispatch on host (1): thread wb-log-0 has not come round for 77 s: if that number only grows, restart the "
                        + "process"
                )
            ]
        )
    }

    @Test(arguments: [(8, true), (9, false)] as [(Int64, Bool)])
    func aLeaseThatIsNotRenewedIsOneOfAProcessThatIsGone(seconds: Int64, isHealthy: Bool) {
        let health = health([Self.lease(seenAgo: seconds), Self.lease(process: 2)])
        #expect((health.grade == .healthy) == isHealthy)
        if !isHealthy {
            #expect(health.findings == [.init(.degraded, Self.silence)])
        }
    }

    private static let silence =
        "dispatch on host (1) has said nothing for 9 s: it hangs, was killed, or cannot reach the store; look at it there, and "
        + "start it again"

    @Test func theSilenceOfTheOnlyDispatcherIsTheFirstToKnow() {
        #expect(health([Self.lease(seenAgo: 9), Self.lease("prune")]).findings == [.init(.down, Self.silence)])
    }

    @Test func aProcessThatHasTakenTheOthersPlaceExcusesIt() {
        let gone = Self.lease(seenAgo: 300)
        #expect(health([gone, Self.lease(process: 2, startedAgo: 200)]).grade == .healthy)
        #expect(health([gone, Self.lease(process: 2, startedAgo: 400)]).grade == .degraded)
        #expect(health([gone, Self.lease("prune", process: 2, startedAgo: 200)]).grade == .down)
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"ready":"yes"}"#])
    func aStatusThatCannotBeReadIsNotReady(status: String) {
        #expect(
            health([Self.lease(status: status)]).findings == [.init(.down, "no dispatcher is ready, and none says why")]
        )
    }

    @Test(
        arguments: [
            (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_799, "47 h"),
            (172_800, "2 d"),
        ] as [(Int64, String)]
    )
    func agesAreWholeUnits(seconds: Int64, text: String) {
        #expect(FleetHealth.age(Self.now - seconds * 1000, Self.now) == text)
    }
}
