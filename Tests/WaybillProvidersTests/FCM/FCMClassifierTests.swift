import Testing
import WaybillCore
import WaybillFCM
import WaybillProviders
import WaybillPushTransport
import WaybillSimulator

/// Every answer that FCM is known to give, and what may come besides.
struct FCMClassifierTests {
    static let expected: [FCMRefusal: Disposition.Step] = [
        .invalidToken: .final(.tokenInvalid, .suspect), .invalidArgument: .final(.rejected, nil),
        .unregistered: .final(.tokenInvalid, .dead), .notFound: .retryLater(.laneFault),
        .senderIDMismatch: .final(.tokenInvalid, .suspect), .permissionDenied: .retryLater(.laneFault),
        .serviceDisabled: .retryLater(.laneFault), .scopeInsufficient: .retryLater(.laneFault),
        .tokenExpired: .retryLater(.providerToken), .credentialsMissing: .retryLater(.providerToken),
        .unauthenticated: .retryLater(.providerToken), .thirdPartyAuthError: .final(.rejected, nil),
        .quotaExceeded: .retryLater(.serverFault), .deviceQuotaExceeded: .retryLater(.tokenThrottled),
        .topicQuotaExceeded: .retryLater(.tokenThrottled), .projectQuotaExceeded: .retryLater(.serverFault),
        .internalError: .retryLater(.serverFault), .unavailable: .retryLater(.serverFault),
        .unspecified: .final(.rejected, nil), .badGateway: .retryLater(.serverFault),
        .gatewayTimeout: .retryLater(.serverFault), .wrongPath: .retryLater(.laneFault),
    ]

    static func answer(_ refusal: FCMRefusal, _ form: FCMErrorForm = .usual, retryAfter: Duration? = nil) -> FCMAnswer {
        let answer = refusal.answer(form)
        return FCMAnswer(
            status: answer.status,
            body: FCMAnswerBody(answer.bodyBytes(now: 0)),
            retryAfter: retryAfter,
            sentAt: 1_795_000_000_123
        )
    }

    @Test(arguments: FCMRefusal.allCases) func everyRefusal(_ refusal: FCMRefusal) {
        for form in [FCMErrorForm.usual, .reversed] {
            let disposition = FCMClassifier.classify(.answered(Self.answer(refusal, form)))
            #expect(disposition.step == Self.expected[refusal])
        }
    }

    /// Of all 404s only UNREGISTERED speaks of the token; without details nothing does.
    @Test(arguments: FCMRefusal.allCases) func withoutDetailsNoTokenIsJudged(_ refusal: FCMRefusal) {
        switch FCMClassifier.classify(.answered(Self.answer(refusal, .bare))).step {
        case .final(let outcome, let verdict): #expect(outcome == .rejected && verdict == nil)
        case .retryLater: break
        }
    }

    @Test(
        arguments: [
            (.unregistered, .sound), (.invalidToken, .sound), (.senderIDMismatch, .sound), (.invalidArgument, .sound),
            (.internalError, .sound), (.deviceQuotaExceeded, .sound),
            (.notFound, .refused("NOT_FOUND")), (.wrongPath, .refused("status 404")),
            (.permissionDenied, .refused("IAM_PERMISSION_DENIED")), (.serviceDisabled, .refused("SERVICE_DISABLED")),
            // One token of another platform parks no lane.
            (.thirdPartyAuthError, .sound),
            (.tokenExpired, .refused("ACCESS_TOKEN_EXPIRED")), (.unavailable, .none), (.badGateway, .none),
            (.projectQuotaExceeded, .hold(seconds: 60, "QUOTA_EXCEEDED, Retry-After")),
        ] as [(FCMRefusal, LaneSign)]
    )
    func whatAnAnswerSaysOfItsLane(refusal: FCMRefusal, sign: LaneSign) {
        #expect(FCMClassifier.classify(.answered(Self.answer(refusal))).lane == sign)
    }

    @Test(
        arguments: [
            (.projectQuotaExceeded, .seconds(7), 7), (.projectQuotaExceeded, .zero, 1),
            (.projectQuotaExceeded, .seconds(86_400), 3600), (.unavailable, .seconds(120), 120),
            (.unavailable, .seconds(1), 10), (.badGateway, .seconds(1), 30),
        ] as [(FCMRefusal, Duration, Int)]
    )
    func aWaitThatIsAskedForHoldsTheLane(refusal: FCMRefusal, asked: Duration, seconds: Int) {
        guard case .hold(seconds, _) = FCMClassifier.classify(.answered(Self.answer(refusal, retryAfter: asked))).lane
        else {
            Issue.record("\(refusal) does not hold its lane for \(seconds) s")
            return
        }
    }

    @Test func whatIsNewGoesByItsStatus() {
        var body = FCMAnswerBody()
        body.errorCode = "SOMETHING_NEW"
        func step(_ status: Int) -> Disposition.Step {
            FCMClassifier.classify(.answered(FCMAnswer(status: status, body: body))).step
        }
        #expect(step(400) == .final(.rejected, nil))
        #expect(step(405) == .final(.rejected, nil))
        #expect(step(413) == .final(.rejected, nil))
        #expect(step(503) == .retryLater(.serverFault))
        #expect(step(599) == .retryLater(.serverFault))
        #expect(step(404) == .retryLater(.laneFault))
        #expect(step(200) == .final(.accepted, nil))
    }

    @Test(
        arguments: [
            (.unreachable(nil), .retryLater(.notSent), .starved("unreachable")),
            (.unreachable("refused"), .retryLater(.notSent), .unreachable("unreachable: refused")),
            (.credentials("no key"), .retryLater(.notSent), .unreachable("credentials: no key")),
            (.invalid("x"), .final(.invalid, nil), .none), (.goAway, .retryLater(.notSent), .starved("goaway")),
            (.refusedStream, .retryLater(.notSent), .starved("refused_stream")),
            (.parked, .retryLater(.notSent), .none), (.closed, .retryLater(.notSent), .none),
        ] as [(PushFailureCause, Disposition.Step, LaneSign)]
    )
    func whatWasNotSent(cause: PushFailureCause, step: Disposition.Step, lane: LaneSign) {
        #expect(FCMClassifier.classify(.failed(.notSent(cause))) == Disposition(step, lane: lane))
    }

    @Test func withoutAnAnswerTheProducerDecides() {
        let result = FCMResult.failed(.unknown(.timeout))
        #expect(FCMClassifier.classify(result).step == .final(.unknown, nil))
        #expect(FCMClassifier.classify(result, resendsUnknown: true).step == .retryLater(.unanswered))
    }

    @Test(
        arguments: [
            (.tokenInvalid, 404, .dead), (.tokenInvalid, 403, .suspect), (.tokenInvalid, 400, .suspect),
            (.rejected, 404, nil), (.deferred, 404, nil), (.accepted, 200, nil),
        ] as [(Outcome, Int, TokenVerdict?)]
    )
    func whatARecordSaysOfItsToken(outcome: Outcome, status: Int, verdict: TokenVerdict?) {
        #expect(ProviderName.fcm.tokenVerdict(recorded: outcome, statusCode: status) == verdict)
    }

    // MARK: - Ends

    final class Owner: SendOwner {
        let yields = false
    }

    static func end(_ result: FCMResult, of batch: Batch) -> SendEnd {
        let outcome = FCMOutcome(owner: Owner(), index: 0, result: result, latency: 81_000_000, attempts: 1)
        return SendEnds([outcome]).end(at: 0, of: batch, lanes: [FCMSamples.lane])
    }

    /// FCM tells no time of death: it was dead when it was sent to.
    @Test func aDeadTokenIsDeadSinceItsRequest() throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        let end = Self.end(.answered(Self.answer(.unregistered)), of: batch)
        #expect(end.invalidSince == 1_795_000_000_123)
        #expect(end.reason == "UNREGISTERED" && end.statusCode == 404)
        #expect(Self.end(.answered(Self.answer(.senderIDMismatch)), of: batch).invalidSince == nil)
    }

    @Test func whatWasTakenHasFCMsName() throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        let body = FCMAnswerBody(Array(#"{"name":"projects/p/messages/0:1%31"}"#.utf8))
        let end = Self.end(.answered(FCMAnswer(status: 200, body: body)), of: batch)
        #expect(end.providerID == "projects/p/messages/0:1%31" && end.reason == nil)
        let outcome = FCMOutcome(owner: Owner(), index: 0, result: .answered(FCMAnswer(status: 200)), attempts: 1)
        // The name would be lost on the short way.
        #expect(SendEnds([outcome]).latencyIfAcceptedAtOnce(at: 0) == nil)
    }

    @Test func whatFCMFailedOverMayHaveBeenTaken() throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        for (refusal, isMarked) in [(FCMRefusal.internalError, true), (.badGateway, true), (.unavailable, false)] {
            let end = Self.end(.answered(Self.answer(refusal)), of: batch)
            #expect(end.mayHaveBeenTaken == isMarked)
            #expect(end.retryAfter >= 10)
        }
    }

    // MARK: - Words

    @Test func everyWordOfTheSimulatorIsKnown() {
        let words = Set(FCMSamples.lane.provider.refusalWords)
        for refusal in FCMRefusal.allCases {
            let answer = Self.answer(refusal)
            guard let word = answer.word else { continue }
            #expect(words.contains(word), "\(word)")
        }
    }

    @Test func laneFaultsHaveAdvice() {
        for refusal in FCMRefusal.allCases {
            guard case .refused(let word) = FCMClassifier.classify(.answered(Self.answer(refusal))).lane else {
                continue
            }
            #expect(ProviderName.fcm.isLaneFault(reason: word), "\(word)")
            #expect(ProviderName.fcm.advice(reason: word) != nil, "\(word)")
            #expect(ProviderName(ofWord: word) == .fcm)
        }
        #expect(ProviderName(ofWord: "Unregistered") == .apns)
    }
}
