import Testing
import WaybillAMQP
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

@testable import waybill

@Suite("The status screen")
struct StatusScreenTests {
    private static let now: Int64 = 1_700_000_000_000

    private static func lease(
        _ role: String,
        _ process: Int32,
        version: String = ProductVersion.current,
        seenAgo: Int64 = 2,
        isEnded: Bool = false,
        _ status: String
    ) -> Lease {
        Lease(
            role: role,
            host: "push-1",
            process: process,
            version: version,
            started: now - 7_200_000,
            seen: now - seenAgo * 1000,
            isEnded: isEnded,
            status: Array(status.utf8)
        )
    }

    private static let dispatcher = """
        {"ready":true,"in_flight":{"messages":2,"notifications":200},\
        "taken_up_to":{"waybill.dispatch":"\(TimeText.text(milliseconds: now - 40_000))"},"rates":{"1m":{"accepted":812.44,"unknown":0},\
        "15m":{"accepted":1790.1,"unknown":0}},"lanes":[{"name":"parcels","state":"open","connections":2,"streams":64,"waiting":0}]}
        """

    @Test func aReloadThatWaitsIsShownBelowItsProcess() throws {
        let lease = Self.lease(
            "dispatch",
            1,
            #"{"ready":true,"reload":"the previous configuration finishes 5 messages"}"#
        )
        let lines = lines(leases: [lease])
        let index = try #require(lines.firstIndex { $0.hasPrefix("dispatch ") && $0.hasSuffix("ready") })
        #expect(lines[index + 1].hasSuffix("reload: the previous configuration finishes 5 messages"))
    }

    private func lines(
        broker: Result<InstallationState.Broker, AMQPError> = .success(
            InstallationState.Broker(
                consumed: [FleetHealth.Queue(name: "waybill.dispatch", messages: 5, consumers: 1)],
                delayed: 3,
                rejected: 0,
                tokenEvents: 0
            )
        ),
        store: Result<InstallationState.Store, MongoError> = .success(
            InstallationState.Store(
                deployment: .replicaSet(name: "rs0", members: 3, hasPrimary: true),
                records: 12,
                nextExpiry: now + 86_400_000
            )
        ),
        leases: [Lease],
        width: Int = 120
    ) -> [String] {
        let state = InstallationState(broker: broker, store: store, leases: leases, now: Self.now)
        return StatusScreen(state: state, palette: Palette(isColoured: false), width: width).lines
    }

    @Test("a narrow screen breaks lines, and loses none of their words")
    func narrow() {
        let lane =
            #"{"ready":true,"lanes":[{"name":"parcels","state":"parked","cause":"\#(String(repeating: "word ", count: 30))"}]}"#
        let leases = [Self.lease("dispatch", 7, lane)]
        let narrow = lines(leases: leases, width: 80)
        #expect(narrow.allSatisfy { $0.count <= 80 })
        #expect(narrow.contains("                 the next expires in 24 h"))
        func words(_ lines: [String]) -> [Substring] { lines.joined(separator: " ").split(separator: " ") }
        #expect(words(narrow) == words(lines(leases: leases, width: 2000)))
    }

    @Test(
        "what happens seldom is not shown as nothing",
        arguments: [
            (nil, "0"), (0, "0"), (0.001, "<0.01"), (0.0167, "0.02"), (0.094, "0.09"), (0.096, "0.1"), (812.44, "812"),
        ] as [(Double?, String)]
    )
    func seldom(rate: Double?, text: String) {
        #expect(StatusScreen.number(rate) == text)
    }

    @Test("an installation that works, on one screen")
    func healthy() {
        let leases = [Self.lease("dispatch", 7, Self.dispatcher), Self.lease("prune", 8, #"{"ready":true}"#)]
        #expect(
            lines(leases: leases) == [
                "healthy   waybill \(ProductVersion.current)", "",
                "broker         waybill.dispatch: 5 ready, 1 consumer, the oldest waits 40 s at most",
                "               delayed 3, rejected 0, invalid-token events 0",
                "               unacknowledged 2, as the dispatchers report",
                "store          replica set rs0, 3 members, primary answers; about 12 records, the next expires in 24 h",
                "",
                "dispatch       push-1 (7), up 2 h, ready, 200 in flight",
                "               lane parcels: open, 2 connections, 64 streams",
                "prune          push-1 (8), up 2 h, ready", "", "dispatch, a second     1 min   15 min",
                "accepted                 812     1790",
            ]
        )
    }

    @Test("rates of several processes are added up; a silent one counts no more, an ended one is not shown")
    func rates() {
        let leases = [
            Self.lease("dispatch", 7, Self.dispatcher), Self.lease("dispatch", 8, Self.dispatcher),
            Self.lease("dispatch", 9, seenAgo: 30, Self.dispatcher),
            Self.lease("dispatch", 10, isEnded: true, Self.dispatcher),
        ]
        let lines = lines(leases: leases)
        #expect(lines.last == "accepted                1624     3580")
        #expect(lines.contains("dispatch       push-1 (9), up 2 h, not heard of for 30 s, 200 in flight"))
        #expect(!lines.contains { $0.contains("(10)") })
    }

    @Test("a broker without the queues is told from one that is away")
    func queuesAreMissing() {
        let lines = lines(
            broker: .failure(AMQPError(.notFound, operation: "inspect", text: "a, b", closesConnection: false)),
            leases: []
        )
        #expect(lines[1] == "  ! queues are missing: a, b")
        #expect(lines.contains { $0.contains("waybill init makes them") })
        #expect(lines.contains("broker         has not all queues"))
    }

    @Test(
        "a queue that only another configuration knows keeps nobody from sending, one that every dispatcher needs does",
        arguments: [
            (["waybill.dispatch.2"], "-"), (["waybill.dispatch.2", "waybill.retry"], "!"), (["waybill.bulk"], "!"),
        ]
    )
    func someQueuesAreMissing(names: [String], mark: String) {
        let lines = lines(
            broker: .success(
                InstallationState.Broker(
                    consumed: [FleetHealth.Queue(name: "waybill.dispatch", messages: 3, consumers: 1)],
                    rejected: 4,
                    missing: MissingQueues(names, added: ["waybill.dispatch.2", "waybill.dispatch.3"])
                )
            ),
            leases: [Self.lease("dispatch", 7, Self.dispatcher)]
        )
        let text = "  \(mark) queues are missing: \(names.joined(separator: ", "))"
        #expect(lines.contains { $0.hasPrefix(text) }, "\(lines)")
        #expect(lines.contains { $0.contains("the rejected queue holds 4") })
        #expect(lines.contains { $0.contains("waybill.dispatch: 3 ready") })
        #expect(lines[0].hasPrefix(mark == "!" ? "down" : "degraded"))
    }

    /// What processes lack because of it is told without another remedy.
    @Test("what makes missing queues is said once, and nothing else is advised", arguments: [true, false])
    func missingQueuesHaveOneRemedy(someAreThere: Bool) {
        func lacking(_ queue: String) -> String {
            let cause = "queue.declare \(queue): NOT_FOUND - no queue '\(queue)' in vhost '/' (404)"
            return #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"\#(cause)"}]}"#
        }
        let broker = InstallationState.Broker(
            consumed: [FleetHealth.Queue(name: "waybill.dispatch", messages: 3, consumers: 0)],
            missing: MissingQueues(["waybill.retry", "waybill.audience"], added: [])
        )
        let none = AMQPError(.notFound, operation: "look", text: "waybill.dispatch", closesConnection: false)
        let lines = lines(
            broker: someAreThere ? .success(broker) : .failure(none),
            leases: [
                Self.lease("dispatch", 7, lacking("waybill.retry")),
                Self.lease("fanout", 8, lacking("waybill.audience")),
            ]
        )
        let text = lines.joined(separator: "\n")
        #expect(text.matches(of: /waybill init/).count == 1, "\(text)")
        #expect(
            lines[1].hasPrefix("  ! queues are missing: ") && lines[2].contains("waybill init makes them"),
            "\(text)"
        )
        #expect(!text.contains("Look at RabbitMQ") && !text.contains("start one"), "\(text)")
        #expect(text.contains("takes no messages: the queue waybill.audience is missing"), "\(text)")
    }

    private static func parts(_ findings: Int, _ servers: Int, _ processes: Int, _ rates: Int) -> [StatusScreen.Part] {
        func lines(_ name: String, _ count: Int) -> [String] { (0..<count).map { "\(name)\($0)" } }
        return [
            .init(.verdict, ["v"]), .init(.findings, lines("f", findings)), .init(.servers, lines("s", servers)),
            .init(.processes, lines("p", processes)), .init(.rates, lines("r", rates)),
        ]
    }

    @Test(
        "a short terminal shows what matters most, in its order, and the rates among it",
        arguments: [
            // How many of each: findings, servers, processes, rates.
            (30, [2, 8, 30, 10], [2, 8, 7, 10]), (30, [0, 8, 30, 18], [0, 8, 1, 18]),
            (30, [40, 8, 30, 18], [18, 0, 0, 9]),
            (30, [40, 8, 30, 3], [24, 0, 0, 3]), (30, [0, 40, 5, 5], [0, 22, 0, 5]),
            (24, [0, 2, 2, 40], [0, 0, 0, 21]),
            (3, [1, 1, 1, 1], [0, 0, 0, 0]), (4, [1, 1, 1, 1], [1, 0, 0, 0]), (100, [2, 8, 30, 10], [2, 8, 30, 10]),
        ]
    )
    func aShortTerminalShowsWhatMattersMost(height: Int, counts: [Int], shown: [Int]) {
        let parts = Self.parts(counts[0], counts[1], counts[2], counts[3])
        let whole = parts.flatMap(\.lines)
        let wanted = Self.parts(shown[0], shown[1], shown[2], shown[3]).flatMap(\.lines)
        let fitting = TopCommand.fitting(parts, height)
        guard height <= whole.count else {
            #expect(fitting == whole)
            return
        }
        #expect(fitting.dropLast() == wanted[...])
        #expect(fitting.last?.hasPrefix("… \(whole.count - wanted.count) lines more") == true)
        #expect(fitting.count <= height - 1)
        #expect(TopCommand.fitting(parts, nil) == whole)
    }

    @Test("what is away is said once, above and in its place")
    func away() {
        let lines = lines(
            broker: .failure(AMQPError(.unreachable, operation: "connect", text: "no route", closesConnection: true)),
            leases: [Self.lease("dispatch", 7, version: "0.1.0", #"{"ready":true}"#)]
        )
        #expect(lines.first?.hasPrefix("down") == true)
        #expect(lines[1].hasPrefix("  ! the broker does not answer: "))
        #expect(lines.contains("broker         does not answer"))
        #expect(lines.contains("dispatch       push-1 (7), up 2 h, ready, version 0.1.0"))
    }

    @Test("what to do stands below what is wrong, broken for the screen, and once for all that it helps against")
    func advice() {
        let status = """
            {"ready":true,"lanes":[{"name":"a","state":"parked","advice":"\(String(repeating: "word ", count: 20))end."},\
            {"name":"b","state":"parked","advice":"\(String(repeating: "word ", count: 20))end."},{"name":"c","state":"paused"}]}
            """
        let lines = lines(leases: [Self.lease("dispatch", 7, status)], width: 80)
        #expect(
            lines[1...5] == [
                "  - dispatch on push-1 (7): lane a is parked",
                "      word word word word word word word word word word word word word word word",
                "      word word word word word end.", "  - dispatch on push-1 (7): lane b is parked",
                "  - dispatch on push-1 (7): lane c is paused",
            ]
        )
    }

    @Test("what several findings come from is told once, in whichever words")
    func oneSubject() {
        let check =
            #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"away"},{"name":"confirms","ok":false,"cause":"away"}]}"#
        let lines = lines(
            broker: .failure(AMQPError(.unreachable, operation: "connect", text: "no route", closesConnection: true)),
            leases: [Self.lease("dispatch", 7, check)]
        )
        #expect(lines.count { $0.contains("Look at RabbitMQ") } == 1)
        let alarm =
            #"{"ready":false,"checks":[{"name":"publishing","ok":false,"cause":"an alarm of the broker (low on disk)"}]}"#
        let alarmed = self.lines(leases: [Self.lease("fanout", 8, alarm), Self.lease("schedule", 9, alarm)])
        #expect(alarmed.count { $0.contains("give it disk or memory") } == 1)
        #expect(alarmed.count { $0.contains("cannot publish to the broker") } == 2)
    }

    @Test("what only a person can settle degrades it: rejected messages, events that nobody takes, records that stay")
    func needsAPerson() {
        let queue = FleetHealth.Queue(name: "waybill.dispatch", messages: 0, consumers: 1)
        let broker = InstallationState.Broker(consumed: [queue], rejected: 2, tokenEvents: 7)
        let store = InstallationState.Store(deployment: .single, records: 1, nextExpiry: Self.now - 7_200_000)
        let leases = [Self.lease("dispatch", 7, #"{"ready":true}"#)]
        let told = lines(broker: .success(broker), store: .success(store), leases: leases)
        #expect(told[0].hasPrefix("degraded"))
        #expect(told.contains("  - the rejected queue holds 2"))
        #expect(told.contains("  - no waybill prune runs; invalid-token events wait: 7"))
        #expect(told.contains("  - the oldest record should have gone 2 h ago"))
        let pruned = lines(broker: .success(broker), leases: leases + [Self.lease("prune", 8, #"{"ready":true}"#)])
        #expect(!pruned.contains { $0.contains("no waybill prune runs") })
    }

    @Test("who runs no schedule hears of repeats that wait for it", arguments: [nil, "schedule", "fanout"])
    func repeatsWait(role: String?) {
        let store = InstallationState.Store(
            deployment: .single,
            records: 1,
            nextExpiry: nil,
            waitingRepeats: WaitingRepeats(3)
        )
        let others = role.map { [Self.lease($0, 8, #"{"ready":true}"#)] } ?? []
        let state = InstallationState(
            broker: .success(InstallationState.Broker()),
            store: .success(store),
            leases: [Self.lease("dispatch", 7, #"{"ready":true}"#)] + others,
            now: Self.now
        )
        let found = state.health.findings
        #expect(found.map(\.kind) == (role == "schedule" ? [] : [.noSchedule]))
        guard let finding = found.first else { return }
        #expect(finding.text == "no waybill schedule runs; critical notifications wait to be sent again: 3")
        #expect(finding.grade == .degraded && finding.advice?.contains("Start waybill schedule") == true)
    }

    @Test("with the broker's HTTP API its own numbers and alarms are shown, and why there are none")
    func management() {
        func lines(_ management: Result<ManagementReport, ManagementReport.Failure>) -> [String] {
            let queue = FleetHealth.Queue(name: "waybill.dispatch", messages: 0, consumers: 2)
            let broker = InstallationState.Broker(consumed: [queue], management: management)
            return self.lines(broker: .success(broker), leases: [Self.lease("dispatch", 7, #"{"ready":true}"#)])
        }
        let report = ManagementReport(unacknowledged: ["waybill.dispatch": 3], alarms: ["disk alarm on a@h"])
        let told = lines(.success(report))
        #expect(told[0].hasPrefix("down") && told[1] == "  ! disk alarm on a@h")
        #expect(told[2].hasPrefix("      RabbitMQ takes no new messages while its alarm lasts"))
        let node = lines(.success(ManagementReport(missingNodes: ["the broker's node c@h does not run"])))
        #expect(node[0].hasPrefix("degraded") && node[1] == "  - the broker's node c@h does not run")
        // One that has ended counts until its messages are acknowledged.
        let queue = "broker         waybill.dispatch: 0 ready, 3 unacknowledged, 2 consumers"
        #expect(told.contains("\(queue) (RabbitMQ's count; dispatchers have 1)"))
        #expect(!told.contains { $0.contains("as the dispatchers report") })
        let silent = lines(.failure(ManagementReport.Failure("it answers with status 503")))
        #expect(silent[1] == "  - the broker's HTTP API does not help: it answers with status 503")
        #expect(silent.contains("               unacknowledged 0, as the dispatchers report"))
    }

    @Test("who may not ask is told so, and not that nothing answers")
    func refused() {
        let refusal = MongoError(code: .accessRefused, operation: "find", reason: "not authorized", nativeCode: 13)
        let state = InstallationState(
            broker: .success(InstallationState.Broker()),
            store: .failure(refusal),
            leases: [],
            now: Self.now
        )
        #expect(state.isRefused)
        #expect(state.health.findings.map(\.text) == ["the store refuses this user (find: not authorized (code 13))"])
        #expect(state.health.findings.first?.advice?.contains("rights") == true)
    }

    @Test("a server that does not answer hides nothing that the other one tells", arguments: [true, false])
    func halfBlind(hasStore: Bool) {
        let queue = FleetHealth.Queue(name: "waybill.dispatch", messages: 3, consumers: 0)
        let broker = InstallationState.Broker(consumed: [queue], rejected: 1)
        let store = InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil, overdueMails: 2)
        let state = InstallationState(
            broker: hasStore
                ? .failure(AMQPError(.unreachable, operation: "open", text: "refused", closesConnection: true))
                : .success(broker),
            store: hasStore
                ? .success(store) : .failure(MongoError(code: .unreachable, operation: "find", reason: "no answer")),
            leases: [],
            now: Self.now
        )
        let beside = state.healthBesideFailures.findings.map(\.text)
        let all = state.health.findings.map(\.text)
        #expect(all.filter { !$0.contains("does not answer") } == beside)
        #expect(all.count == beside.count + 1)
        #expect(
            hasStore
                ? beside.contains("no waybill hooks runs; mails wait: 2")
                : beside == ["waybill.dispatch has no consumer, and 3 messages wait", "the rejected queue holds 1"]
        )
    }

    @Test("an installation before its first start: no process was seen, nothing waits", arguments: [0, 1])
    func unstarted(waiting: Int) {
        func state(_ leases: [Lease]) -> InstallationState {
            let queue = FleetHealth.Queue(name: "waybill.dispatch", messages: waiting, consumers: 0)
            return InstallationState(
                broker: .success(InstallationState.Broker(consumed: [queue], rejected: 1)),
                store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
                leases: leases,
                now: Self.now
            )
        }
        #expect(state([]).isUnstarted == (waiting == 0))
        #expect(state([]).health.grade == .down)
        #expect(state([]).serversHealth.findings.map(\.text) == ["the rejected queue holds 1"])
        #expect(!state([Self.lease("dispatch", 7, isEnded: true, "{}")]).isUnstarted)
    }

    @Test("a majority that is behind is shown, and a finding once it is far behind", arguments: [2, 10])
    func lag(seconds: Int) {
        let store = InstallationState.Store(
            deployment: .replicaSet(name: "rs0", members: 3, hasPrimary: true),
            records: 1,
            nextExpiry: nil,
            lag: .seconds(seconds)
        )
        let lines = lines(store: .success(store), leases: [Self.lease("dispatch", 7, #"{"ready":true}"#)])
        #expect(lines[0].hasPrefix("degraded") == (seconds == 10))
        let text = "replica set rs0, 3 members, primary answers, the majority \(seconds) s behind; about 1 record"
        #expect(lines.contains("store          \(text)"))
    }

    @Test("an expiry that lies behind shows that the server is late with removing")
    func lateExpiry() {
        let store = InstallationState.Store(deployment: .single, records: 1, nextExpiry: Self.now - 300_000)
        let lines = lines(store: .success(store), leases: [])
        #expect(lines.contains("store          a single server; about 1 record, the oldest should have gone 5 min ago"))
    }

    @Test("roles stand in the order of the pipeline, processes and rates alike")
    func order() {
        let status = #"{"ready":true,"rates":{"1m":{"done":1},"15m":{"done":1}}}"#
        let lines = lines(leases: AdminSettings.Role.allCases.map { Self.lease($0.rawValue, 7, status) })
        let heads = lines.filter { $0.contains("push-1 (7)") }.compactMap { $0.split(separator: " ").first }
        #expect(heads.map(String.init) == Lease.roles)
        #expect(lines.filter { $0.contains(", a second") }.compactMap { $0.split(separator: ",").first } == heads)
        #expect(Set(Lease.roles) == Set(AdminSettings.Role.allCases.map(\.rawValue)))
    }

    @Test("hostile words in a lease cannot move the cursor")
    func hostile() {
        let status = #"{"ready":true,"lanes":[{"name":"a\u001b[1m","state":"\u001bparked","cause":"\u001b[2Jx"}]}"#
        let text = lines(leases: [Self.lease("dispatch", 7, status)]).joined()
        #expect(!text.unicodeScalars.contains("\u{1B}"))
    }
}
