import Testing
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
    ]

    @Test("the store's findings", arguments: storeCases)
    func store(_ one: StoreCase) {
        let now: Int64 = 1_795_000_000_000
        let store = InstallationState.Store(
            deployment: one.deployment,
            records: 0,
            nextExpiry: one.expired.map { now - $0 },
            lag: one.lag,
            overdueMails: one.mails,
            waitingRepeats: one.repeats,
            webhooks: one.webhooks
        )
        #expect(store.findings(running: one.running, now: now).map(\.kind) == one.kinds)
    }
}
