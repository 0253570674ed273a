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
            (.projectQuotaExceeded, .seconds(7), .hold(seconds: 7, "QUOTA_EXCEEDED, Retry-After")),
            (.projectQuotaExceeded, .zero, .hold(seconds: 60, "QUOTA_EXCEEDED, Retry-After")),
            (.projectQuotaExceeded, .seconds(86_400), .hold(seconds: 3600, "QUOTA_EXCEEDED, Retry-After")),
            (.deviceQuotaExceeded, .seconds(7), .sound), (.topicQuotaExceeded, .seconds(7), .sound),
            (.unavailable, .seconds(120), .overloaded(seconds: 120, "UNAVAILABLE, Retry-After")),
            (.unavailable, .seconds(1), .overloaded(seconds: 1, "UNAVAILABLE, Retry-After")),
            (.unavailable, .zero, .none), (.internalError, .zero, .sound),
            (.internalError, .seconds(2), .overloaded(seconds: 2, "INTERNAL, Retry-After")),
            (.badGateway, .seconds(1), .overloaded(seconds: 1, "status 502, Retry-After")),
        ] as [(FCMRefusal, Duration, LaneSign)]
    )
    func aWaitOfTheProjectHoldsTheLaneAndAFaultIsOfItsPush(refusal: FCMRefusal, asked: Duration, sign: LaneSign) {
        #expect(FCMClassifier.classify(.answered(Self.answer(refusal, retryAfter: asked))).lane == sign)
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
        #expect(step(200) == .final(.accepted, nil))
        for status in [401, 403, 404] {
            let disposition = FCMClassifier.classify(.answered(FCMAnswer(status: status, body: body)))
            #expect(disposition == Disposition(.final(.rejected, nil), lane: .sound), "\(status)")
        }
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

    @Test(arguments: FCMRefusal.allCases) func invalidArgumentsKeepFCMsWords(_ refusal: FCMRefusal) throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        let token = "The registration token is not a valid FCM registration token"
        let words = [
            FCMRefusal.invalidToken: "message.token: \(token)",
            .invalidArgument: "Request contains an invalid argument.", .unspecified: "Unspecified.",
        ]
        #expect(Self.end(.answered(Self.answer(refusal)), of: batch).detail == words[refusal])
        // Without details the message is left.
        let bare = Self.end(.answered(Self.answer(refusal, .bare)), of: batch).detail
        #expect(bare == (refusal == .invalidToken ? token : words[refusal]))
    }

    @Test func aWaitIsWhatTheAnswerAsksForOrTheLeast() throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        for (refusal, asked, retryAfter, leastWait) in [
            (FCMRefusal.internalError, nil, 0, 10), (.badGateway, nil, 0, 30), (.unavailable, .zero, 0, 10),
            (.unavailable, .seconds(2), 2, 0), (.gatewayTimeout, .seconds(5), 5, 0),
            (.deviceQuotaExceeded, nil, 0, 60), (.deviceQuotaExceeded, .seconds(7), 7, 0), (.unregistered, nil, 0, 0),
        ] as [(FCMRefusal, Duration?, Int, Int)] {
            let end = Self.end(.answered(Self.answer(refusal, retryAfter: asked)), of: batch)
            #expect(end.retryAfter == retryAfter && end.leastWait == leastWait, "\(refusal) \(asked ?? .zero)")
        }
    }

    /// A refused access token is no answer that was waited for.
    @Test func answersThatWereWaitedForAreCounted() throws {
        let batch = try FCMSamples.decode(#"[{"device_token":"t","message":"x"}]"#)
        let history = [401, 503, 429, 500].map { PushAttempt(date: 1, result: .answered(PushAnswer(status: $0))) }
        for result in [
            FCMResult.answered(FCMAnswer(status: 200)), .failed(.unknown(.timeout)), .failed(.notSent(.parked)),
        ] {
            let outcome = FCMOutcome(owner: Owner(), index: 0, result: result, attempts: 5, history: history)
            let end = SendEnds([outcome]).end(at: 0, of: batch, lanes: [FCMSamples.lane])
            #expect(end.waits == 3 && end.attempts == 5 && end.history.map(\.status) == [401, 503, 429, 500])
        }
    }

    /// A retry that may not take a newer one's place on the screen goes over the log.
    @Test func whatCollapsesDoesNotWaitInMemory() throws {
        for (members, left) in [(#""message":"x""#, 6), (#""message":"x","collapse_id":"k""#, 0)] {
            let item = try FCMSamples.notification(members)
            guard case .valid(let notification) = item.content else {
                Issue.record("\(members) is invalid")
                continue
            }
            let request = FCMRequest(notification, position: 0, notAfter: .max, attemptsLeft: 6)
            #expect(request.attemptsLeft == left)
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
