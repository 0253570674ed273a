import Testing
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOutbox

@testable import WaybillOperations

/// What is told of a broker and a store that answer, by what waits in them and who runs.
@Suite struct ServerFindingsTests {
    struct BrokerCase: CustomTestStringConvertible, Sendable {
        let what: String
        var broker = InstallationState.Broker()
        var running: Set<String>? = []
        let kinds: [FindingKind]

        var testDescription: String { what }
    }

    private static let waiting = InstallationState.Broker(rejected: 1, tokenEvents: 2, audiences: 3)

    static let brokerCases: [BrokerCase] = [
        BrokerCase(what: "nothing waits", kinds: []),
        BrokerCase(what: "nobody reads what waits", broker: waiting, kinds: [.rejectedHeld, .noPrune, .noFanout]),
        BrokerCase(what: "prune runs", broker: waiting, running: ["prune"], kinds: [.rejectedHeld, .noFanout]),
        BrokerCase(what: "both run", broker: waiting, running: ["prune", "fanout"], kinds: [.rejectedHeld]),
        BrokerCase(what: "nobody knows who runs", broker: waiting, running: nil, kinds: [.rejectedHeld]),
        BrokerCase(
            what: "an alarm, and a node that is missing, before what waits",
            broker: InstallationState.Broker(
                rejected: 1,
                management: .success(ManagementReport(alarms: ["disk alarm"], missingNodes: ["rabbit@b"]))
            ),
            kinds: [.brokerAlarm, .brokerNodeMissing, .rejectedHeld]
        ),
        BrokerCase(
            what: "its HTTP API does not answer",
            broker: InstallationState.Broker(management: .failure(ManagementReport.Failure("refused"))),
            kinds: [.brokerManagement]
        ),
    ]

    @Test(
        "what somebody holds of a queue counts, where the HTTP API tells it",
        arguments: [(0, 1, 3), (2, 1, 5), (2, 0, 2)]
    )
    func held(ready: Int, readers: Int, count: Int) {
        let report = ManagementReport(unacknowledged: ["waybill.rejected": 3])
        let broker = InstallationState.Broker(management: .success(report))
        #expect(broker.count(in: "waybill.rejected", ready: ready, readers: readers) == count)
        #expect(InstallationState.Broker().count(in: "waybill.rejected", ready: ready, readers: readers) == ready)
    }

    @Test("the broker's findings", arguments: brokerCases)
    func broker(_ one: BrokerCase) {
        #expect(one.broker.findings(running: one.running).map(\.kind) == one.kinds)
    }

    struct StoreCase: CustomTestStringConvertible, Sendable {
        let what: String
        var deployment = MongoDeployment.replicaSet(name: "rs0", members: 3, hasPrimary: true)
        /// How long ago the next record expires, in milliseconds.
        var expired: Int64?
        var lag: Duration?
        var mails = 0
        var repeats = 0
        var webhooks = WebhookTroubles()
        var fuses: [FuseOverview] = []
        var noFuses: [String] = []
        var running: Set<String> = []
        let kinds: [FindingKind]

        var testDescription: String { what }
    }

    static let storeCases: [StoreCase] = [
        StoreCase(what: "nothing waits", kinds: []),
        StoreCase(
            what: "no primary",
            deployment: .replicaSet(name: "rs0", members: 3, hasPrimary: false),
            kinds: [.storeNoPrimary]
        ),
        StoreCase(what: "a small lag", lag: .milliseconds(9999), kinds: []),
        StoreCase(what: "a lag", lag: .seconds(10), kinds: [.storeLag]),
        StoreCase(what: "a record is to go soon", expired: -5, kinds: []),
        StoreCase(what: "a record should have gone an hour ago", expired: 3_600_000, kinds: []),
        StoreCase(what: "a record should have gone longer ago", expired: 3_600_001, kinds: [.recordsOverdue]),
        StoreCase(
            what: "nobody sends what waits",
            mails: 1,
            repeats: 1,
            webhooks: WebhookTroubles(late: 1),
            kinds: [.noHooks, .noSchedule, .noHooks]
        ),
        StoreCase(
            what: "those run who would send it",
            mails: 1,
            repeats: 1,
            webhooks: WebhookTroubles(givenUp: ["e"], late: 1),
            running: ["hooks", "schedule"],
            kinds: [.webhooksLate, .webhookEndpointsGivenUp]
        ),
        StoreCase(what: "a fuse is blown", fuses: [fuse(.blown, held: 7)], running: ["prune"], kinds: [.fuseBlown]),
        StoreCase(what: "a fuse is blown, and no prune runs", fuses: [fuse(.blown, held: 7)], kinds: [.fuseBlown]),
        StoreCase(what: "released, and no prune runs", fuses: [fuse(.released, held: 7)], kinds: [.noPrune]),
        StoreCase(what: "released, and prune runs", fuses: [fuse(.released, held: 7)], running: ["prune"], kinds: []),
        StoreCase(what: "released, and all carried out", fuses: [fuse(.released, held: 0)], kinds: []),
        StoreCase(
            what: "nobody knows whether one of the fuses is blown",
            fuses: [fuse(.blown, held: 7)],
            noFuses: ["1/q/app"],
            kinds: [.fuseUnreadable, .fuseBlown]
        ),
        // Nobody waits for what was discarded.
        StoreCase(what: "discarded", fuses: [fuse(.discarded, held: 7)], kinds: []),
    ]

    private static let now: Int64 = 1_795_000_000_000

    /// One about which a person has decided three minutes ago, or has not yet.
    private static func fuse(_ state: Fuse.State, held: Int) -> FuseOverview {
        let cause = Fuse.Cause.sample(at: now - 600_000, since: now - 660_000)
        let decision = FuseDecision(name: "anna@push-1", date: now - 180_000)
        return FuseOverview(fuse: .sample(state, cause, decision: decision), held: held)
    }

    @Test("what was released and waits is told with its number, its age, and what to start")
    func released() throws {
        let store = InstallationState.Store(
            deployment: .replicaSet(name: "rs0", members: 3, hasPrimary: true),
            records: 0,
            nextExpiry: nil,
            fuses: FuseSurvey(fuses: [Self.fuse(.released, held: 7)])
        )
        let finding = try #require(store.findings(running: [], now: Self.now).first)
        #expect(
            finding.text
                == "no waybill prune runs; lane parcels: events of com.example.app that were released 3 min ago by anna@push-1 "
                + "wait to be carried out: 7"
        )
        #expect(finding.advice?.hasPrefix("Start it: waybill prune") == true)
        #expect((finding.grade, finding.lane) == (.degraded, "parcels"))
    }

    @Test("the store's findings", arguments: storeCases)
    func store(_ one: StoreCase) {
        let now = Self.now
        let store = InstallationState.Store(
            deployment: one.deployment,
            records: 0,
            nextExpiry: one.expired.map { now - $0 },
            lag: one.lag,
            overdueMails: one.mails,
            waitingRepeats: WaitingRepeats(one.repeats),
            webhooks: one.webhooks,
            fuses: FuseSurvey(fuses: one.fuses, unreadable: one.noFuses)
        )
        #expect(store.findings(running: one.running, now: now).map(\.kind) == one.kinds)
    }

    @Test("where it cannot be looked at who has acknowledged, no more is claimed than is known")
    func repeatsWaitAtMost() {
        let repeats = WaitingRepeats(3, isAtMost: true)
        let store = InstallationState.Store(deployment: .single, records: 1, nextExpiry: nil, waitingRepeats: repeats)
        let told = store.findings(running: [], now: 0).map(\.text)
        #expect(told == ["no waybill schedule runs; critical notifications wait to be sent again: at most 3"])
    }

    @Test("what is under way in the store needs a schedule")
    func notificationsNeedSchedule() {
        let store = InstallationState.Store(deployment: .single, records: 1, nextExpiry: nil, waitingNotifications: 2)
        let told = store.findings(running: [], now: 0)
        #expect(
            told.map(\.text) == [
                "no waybill schedule runs; notifications in the store, parts of campaigns among them, are under way or new: 2"
            ]
        )
        #expect(told.map(\.kind) == [.noSchedule] && told[0].advice?.hasPrefix("Start waybill schedule") == true)
        #expect(store.findings(running: ["schedule"], now: 0).isEmpty)
    }
}
