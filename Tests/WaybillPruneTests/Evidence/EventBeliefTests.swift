import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport

@testable import WaybillPrune

/// What an event is worth, by what the delivery log holds under its id.
struct EventBeliefTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let environments = ["parcels": Environment.production, "trial": .sandbox]

    private static func refusal(
        _ outcome: Outcome = .tokenInvalid,
        status: Int? = 410,
        since: Int64? = RemovalCases.invalidSince,
        lane: String? = "parcels",
        isOfToken: Bool = true
    ) -> LoggedRefusal {
        LoggedRefusal(
            outcome: outcome,
            statusCode: status,
            reason: status == 410 ? "Unregistered" : "BadDeviceToken",
            date: RemovalCases.observedAt,
            invalidSince: since,
            topic: "com.example.parcels",
            lane: lane,
            client: "acme",
            isOfToken: isOfToken
        )
    }

    private static func judge(_ event: InvalidTokenEvent, _ refusal: LoggedRefusal?) -> EventBelief {
        EventBelief.judge(event, refusal, environments: environments, now: now)
    }

    @Test func whatTheLogHasIsBelieved() {
        #expect(Self.judge(RemovalCases.dead(), Self.refusal()) == .believed(RemovalCases.dead()))
        let suspect = Self.refusal(status: 400, since: nil)
        #expect(Self.judge(RemovalCases.suspect(), suspect) == .believed(RemovalCases.suspect()))
    }

    /// FCM has no environments, and only its 404 means that a token is dead.
    @Test(arguments: [(404, TokenVerdict.dead), (403, .suspect), (400, .suspect)])
    func whatTheLogHasOfFCMIsBelieved(status: Int, verdict: TokenVerdict) {
        var event = InvalidTokenEvent(
            provider: "fcm",
            deviceToken: "Token:1",
            reason: "x",
            statusCode: status,
            invalidSince: RemovalCases.invalidSince,
            observedAt: RemovalCases.observedAt,
            notificationID: NotificationID(high: 1, low: 2),
            batchID: "b",
            client: "acme",
            lane: "android",
            topic: "another-project",
            environment: nil,
            verdict: verdict
        )
        let refusal = LoggedRefusal(
            outcome: .tokenInvalid,
            statusCode: status,
            reason: "UNREGISTERED",
            date: RemovalCases.observedAt,
            invalidSince: RemovalCases.invalidSince,
            provider: "fcm",
            topic: "parcels-4711",
            lane: "android",
            client: "acme",
            isOfToken: true
        )
        let environments = Self.environments.mapValues(Optional.some).merging(["android": nil]) { $1 }
        func judge(_ event: InvalidTokenEvent) -> EventBelief {
            EventBelief.judge(event, refusal, environments: environments, now: Self.now)
        }
        var told = event
        told.reason = "UNREGISTERED"
        told.topic = "parcels-4711"
        #expect(judge(event) == .believed(told))
        // Whoever forges the provider means no other device.
        event.provider = nil
        event.environment = .production
        #expect(judge(event) == .believed(told))
        event.verdict = verdict == .dead ? .suspect : .dead
        #expect(judge(event) == .refused(reason: "the record has the status \(status)"))
    }

    /// A far date would disable every device that registers until then.
    @Test func theLogsWordsCountAndNotTheEvents() {
        var forged = RemovalCases.dead(since: 4_000_000_000_000)
        forged.topic = "com.example.other"
        forged.environment = .sandbox
        forged.client = "contoso"
        forged.lane = "trial"
        forged.observedAt = 4_000_000_000_000
        #expect(Self.judge(forged, Self.refusal()) == .believed(RemovalCases.dead()))
        #expect(Self.judge(forged, Self.refusal(since: nil)) == .believed(RemovalCases.dead(since: nil)))
    }

    @Test(arguments: [
        (refusal(.accepted, status: 200), "the record says accepted"),
        (refusal(.deferred, status: 503), "the record says deferred"),
        (refusal(status: 400), "the record has the status 400"),
        (refusal(isOfToken: false), "the record is of another token"),
    ])
    func whatContradictsTheLogIsRefused(_ refusal: LoggedRefusal, _ reason: String) {
        #expect(Self.judge(RemovalCases.dead(), refusal) == .refused(reason: reason))
    }

    @Test func aSuspicionOfADeadTokenIsRefusedToo() {
        #expect(Self.judge(RemovalCases.suspect(), Self.refusal()) == .refused(reason: "the record has the status 410"))
    }

    @Test(arguments: [nil, refusal(lane: "gone"), refusal(lane: nil)])
    func whereTheRecordIsGoneTheTokenIsOnlySuspected(_ refusal: LoggedRefusal?) {
        guard case .unproven(let event) = Self.judge(RemovalCases.dead(since: 4_000_000_000_000), refusal) else {
            Issue.record("believed or refused")
            return
        }
        #expect(event.verdict == .suspect)
        #expect(event.deviceToken == RemovalCases.dead().deviceToken)
    }

    @Test(arguments: [(nil, nil), (5, 5), (now, now), (now + 1, now), (Int64.max, now)] as [(Int64?, Int64?)])
    func noTimeLiesInTheFuture(_ said: Int64?, _ believed: Int64?) {
        var event = RemovalCases.dead(since: said)
        event.observedAt = said ?? 1
        let bounded = EventBelief.bounded(event, now: Self.now)
        #expect(bounded.invalidSince == believed)
        #expect(bounded.observedAt == believed ?? 1)
    }
}
