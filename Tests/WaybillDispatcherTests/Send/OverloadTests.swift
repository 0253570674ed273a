import Logging
import Testing
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillFCM
import WaybillProviders
import WaybillPushTransport
import WaybillSettings
import WaybillThreads

@testable import WaybillDispatcher

/// What becomes of notifications, and of their lane, when FCM asks to wait.
@Suite struct OverloadTests {
    /// What the lane's client shows, and how often it was told to take back what waits.
    final class LaneState: Sendable {
        /// The pause that the lane's last answers ask for.
        let overload = Guarded<Duration?>(nil)
        let withdrawals = Guarded(0)
    }

    /// A handler with one lane to FCM, whose client shows what a test says.
    final class Rig: Sendable {
        let context: PipelineContext
        let handler: OutcomeHandler
        let lane = LaneState()
        private let decoder: BatchDecoder

        init() throws {
            let provider = FCMLaneSettings(rules: FCMLane(project: "p"), serviceAccountFile: "never opened")
            context = try PipelineContext(
                configuration: WaybillConfiguration(
                    broker: BrokerSettings(url: "amqp://127.0.0.1:1"),
                    store: StoreSettings(url: Secret("mongodb://127.0.0.1:1"), displayURL: "none"),
                    retention: RetentionPolicy(default: .keep),
                    lanes: [LaneSettings(name: "android", provider: .fcm(provider))]
                ),
                logThreads: 1,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            handler = OutcomeHandler(context: context)
            decoder = BatchDecoder(limits: DecodingLimits(), lanes: context.lanes)
            handler.handleLanes(
                by: OutcomeHandler.LaneHandles(
                    withdraw: { [lane] _ in lane.withdrawals.withLock { $0 += 1 } },
                    obstacle: { _ in nil },
                    overload: { [lane] _ in lane.overload.withLock { $0 } }
                )
            )
        }

        /// A message of one, as a producer's own or as a retry of its second pass.
        func message(isRetry: Bool = false, _ members: String = "") throws -> InFlightMessage {
            let items = isRetry ? Samples.retryHeaders("0") : []
            let delivery = Samples.delivery(
                #"[{"device_token":"t","message":"x"\#(members)}]"#,
                properties: AMQPProperties(headers: items)
            )
            guard
                case .accepted(let message) = Intake(decoder: decoder).take(
                    delivery,
                    from: isRetry ? Samples.retry : Samples.dispatch,
                    epoch: 1
                )
            else { throw Problem.refused }
            return message
        }

        /// Hands ends over, and returns what they become.
        func handle(_ ends: (message: InFlightMessage, result: FCMResult, history: [PushAttempt])...) -> [ItemOutcome] {
            handler.handle(
                lane: 0,
                ends: SendEnds(
                    ends.map { message, result, history in
                        FCMOutcome(
                            owner: message,
                            index: 0,
                            result: result,
                            attempts: history.count + (result.isAnswer ? 1 : 0),
                            history: history
                        )
                    }
                )
            )
            var tasks: [LogTask] = []
            context.mailboxes.logs[0].drain(into: &tasks)
            var items: [ItemOutcome] = []
            for case .write(let written) in tasks { items += written }
            return items
        }

        func admit() -> CircuitBreaker.Admission { context.breakers.admit(lane: 0, now: .now()) }
    }

    enum Problem: Error {
        case refused
    }

    static func busy(_ seconds: Int) -> FCMResult {
        var body = FCMAnswerBody()
        body.errorCode = "UNAVAILABLE"
        return .answered(FCMAnswer(status: 503, body: body, retryAfter: .seconds(seconds)))
    }

    static let accepted = FCMResult.answered(FCMAnswer(status: 200))
    static let past = PushAttempt(date: 1, result: .answered(PushAnswer(status: 503, reason: "UNAVAILABLE")))

    @Test func oneAnswerPutsOffItsNotificationAlone() throws {
        let rig = try Rig()
        let items = rig.handle((try rig.message(), Self.busy(30), []))
        let retry = try #require(items.first?.retry)
        #expect(rig.context.retryPolicy.steps[retry.step].name == "30s")
        #expect(retry.pass.number == 2 && retry.wait == nil)
        #expect(rig.admit() == .send)
        #expect(rig.lane.withdrawals.withLock { $0 } == 0)
    }

    @Test func severalInARowHoldTheLaneForTheRequestedTime() throws {
        let rig = try Rig()
        rig.lane.overload.withLock { $0 = .seconds(7) }
        _ = rig.handle((try rig.message(), Self.busy(30), []))
        #expect(rig.admit() == .wait(.retryAfter))
        #expect(rig.context.breakers.admit(lane: 0, now: .now().advanced(by: .seconds(7))) == .probe)
        #expect(rig.lane.withdrawals.withLock { $0 } == 1)
        // What was taken back waits no longer than the lane does.
        let items = rig.handle((try rig.message(), .failed(.notSent(.parked)), []))
        let retry = try #require(items.first?.retry)
        #expect(retry.pass.number == 1)
        #expect(rig.context.retryPolicy.steps[retry.step].seconds <= 10)
    }

    @Test func aSoundAnswerBesideThemSpeaksForTheLane() throws {
        let rig = try Rig()
        rig.lane.overload.withLock { $0 = .seconds(7) }
        _ = rig.handle((try rig.message(), Self.busy(7), []), (try rig.message(), Self.accepted, []))
        #expect(rig.admit() == .send)
    }

    @Test func aProbeThatIsPutOffParksTheLaneAgainForItsTime() throws {
        let rig = try Rig()
        let now = MonotonicTime.now()
        _ = rig.context.breakers.trip(
            lane: 0,
            cause: .unreachable,
            reason: "no route",
            now: now.advanced(by: .seconds(-15))
        )
        #expect(rig.admit() == .probe)
        let probe = try rig.message()
        probe.isProbe = true
        _ = rig.handle((probe, Self.busy(20), []))
        #expect(rig.admit() == .wait(.retryAfter))
        #expect(rig.context.breakers.admit(lane: 0, now: .now().advanced(by: .seconds(20))) == .probe)
    }

    /// In its first pass it was sent three times: the answers that were waited for count like passes.
    @Test(
        arguments: [
            (1, 2, busy(30), 4), (1, 0, busy(30), 2), (2, 1, busy(30), 4),
            (1, 2, .failed(.notSent(.unreachable("x"))), 3),
            (1, 2, .failed(.notSent(.parked)), 3),
        ] as [(Int, Int, FCMResult, Int)]
    )
    func waitsInMemoryAreAttempts(pass: Int, waits: Int, result: FCMResult, next: Int) throws {
        let rig = try Rig()
        let message = try rig.message(isRetry: pass == 2)
        let items = rig.handle((message, result, Array(repeating: Self.past, count: waits)))
        let item = try #require(items.first)
        #expect(item.outcome == .deferred)
        #expect(item.retry?.pass.number == next)
        // Each push stands in the history once.
        #expect(item.sent.count == item.attempts)
    }

    @Test func theLastAttemptIsTheLast() throws {
        let rig = try Rig()
        let history = Array(repeating: Self.past, count: rig.context.retryPolicy.maxAttempts - 1)
        let items = rig.handle((try rig.message(), Self.busy(2), history))
        let item = try #require(items.first)
        #expect(item.outcome == .rejected && item.statusCode == 503)
        #expect(item.sent.count == 8)
    }

    /// A push without an answer parks no lane that has answered others, if it was lost in an earlier pass as well.
    @Test(arguments: [(true, true, false), (true, false, true), (false, true, true)])
    func whatIsLostAgainParksNothing(isRetry: Bool, isSound: Bool, parks: Bool) throws {
        let rig = try Rig()
        if isSound { _ = rig.handle((try rig.message(), Self.accepted, [])) }
        // The first lost push was half a minute ago.
        _ = rig.context.breakers.isSilent(lane: 0, now: .now().advanced(by: .seconds(-31)))
        _ = rig.handle((try rig.message(isRetry: isRetry), .failed(.unknown(.timeout)), []))
        #expect(rig.context.breakers.isParked(lane: 0) == parks)
    }

    @Test func aProbeThatIsLostAgainComesBack() throws {
        let rig = try Rig()
        _ = rig.handle((try rig.message(), Self.accepted, []))
        let before = MonotonicTime.now().advanced(by: .seconds(-60))
        _ = rig.context.breakers.trip(lane: 0, cause: .unreachable, reason: "no answer", now: before)
        #expect(rig.context.breakers.admit(lane: 0, isRepeat: true, now: .now()) == .probe)
        let probe = try rig.message(isRetry: true)
        probe.isProbe = true
        _ = rig.handle((probe, .failed(.unknown(.timeout)), []))
        #expect(rig.context.breakers.admit(lane: 0, isRepeat: true, now: .now()) == .wait(.unreachable))
        #expect(rig.admit() == .probe)
    }
}

extension FCMResult {
    fileprivate var isAnswer: Bool { if case .answered = self { true } else { false } }
}
