import Testing
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@testable import WaybillFCM

/// Times that answers ask for: short ones are waited for in memory.
@Suite struct FCMWaitTests {
    static func answer(_ wait: String, _ refusal: FCMRefusal = .unavailable) -> SimulatorAnswer {
        var form = AnswerForm()
        form.retryAfter = wait
        var answer = refusal.answer()
        answer.form = form
        return answer
    }

    static func rule(_ wait: String, _ refusal: FCMRefusal = .unavailable, times: Int? = nil) -> SimulatorRule {
        SimulatorRule(registrationPrefix: "busy", answer: answer(wait, refusal), times: times)
    }

    @Test(arguments: [FCMRefusal.unavailable, .internalError, .badGateway, .deviceQuotaExceeded])
    func shortWaitsStayInMemory(_ refusal: FCMRefusal) async throws {
        let rig = try WaitRig([Self.rule("1", refusal, times: 2)])
        let begin = MonotonicTime.now()
        rig.submit(["busy"], attemptsLeft: 7)
        let outcome = try #require(await rig.outcomes(1).first)
        #expect(outcome.status == 200)
        #expect(outcome.attempts == 3)
        #expect(outcome.past == [refusal.status, refusal.status])
        #expect(MonotonicTime.now().duration(since: begin) >= .seconds(2))
        #expect(rig.rig.server.fcm?.deliveries.count == 1)
    }

    @Test func eachWaitSpendsAnAttempt() async throws {
        let rig = try WaitRig([Self.rule("1")])
        rig.submit(["busy"], attemptsLeft: 1)
        let outcome = try #require(await rig.outcomes(1).first)
        #expect(outcome.status == 503 && outcome.attempts == 2 && outcome.past == [503])
        // The answer is whole, for what becomes of it is decided elsewhere.
        guard case .answered(let answer) = outcome.result else { return }
        #expect(answer.word == "UNAVAILABLE" && answer.wait == .seconds(1))
    }

    @Test(
        arguments: [
            ("10", 7, .max), ("9", 0, .max), ("9", 7, 5), ("0", 7, .max), ("soon", 7, .max),
        ] as [(String, Int, Int64)]
    )
    func whatMayNotWaitEndsAtOnce(wait: String, attemptsLeft: Int, life: Int64) async throws {
        let rig = try WaitRig([Self.rule(wait)])
        let notAfter = life == .max ? life : WallClock.milliseconds() / 1000 + life
        rig.submit(["busy"], attemptsLeft: attemptsLeft, notAfter: notAfter)
        let outcome = try #require(await rig.outcomes(1).first)
        #expect(outcome.status == 503 && outcome.attempts == 1 && outcome.past.isEmpty)
    }

    enum Withdrawal: CaseIterable {
        case lane
        case owner
        case all
        case close
    }

    @Test(arguments: Withdrawal.allCases)
    func whatIsWithdrawnEndsWithItsAnswer(_ withdrawal: Withdrawal) async throws {
        let rig = try WaitRig([Self.rule("9")])
        rig.submit(["busy"], attemptsLeft: 7)
        try await rig.until { $0.resent == 1 && $0.waiting == 1 }
        switch withdrawal {
        case .lane: rig.driver.withdraw(lane: 0)
        case .owner: rig.driver.withdraw(lane: 0) { _ in true }
        case .all: rig.driver.endAnswered()
        case .close: rig.driver.close(grace: .zero)
        }
        let outcome = try #require(await rig.outcomes(1).first)
        #expect(outcome.status == 503 && outcome.attempts == 1 && outcome.past.isEmpty)
        guard case .answered(let answer) = outcome.result else { return }
        #expect(answer.word == "UNAVAILABLE" && answer.wait == .seconds(9))
        // Once nothing shall wait, later answers are ends.
        guard withdrawal == .all else { return }
        rig.submit(["busy2"], attemptsLeft: 7)
        #expect(try await rig.outcomes(2).last?.status == 503)
    }

    @Test func severalInARowAreHandedOut() async throws {
        let rig = try WaitRig([Self.rule("9")])
        rig.submit((0..<6).map { "busy\($0)" }, attemptsLeft: 7)
        let outcomes = try await rig.outcomes(2)
        #expect(outcomes.allSatisfy { $0.status == 503 && $0.attempts == 1 })
        try await rig.until { $0.overload == .seconds(9) && $0.waiting == 4 }
        rig.submit(["good"], attemptsLeft: 7)
        #expect(try await rig.outcomes(3).last?.status == 200)
        try await rig.until { $0.overload == nil && $0.waiting == 4 }
    }

    @Test func aThousandWaitAtTheMost() async throws {
        let rig = try WaitRig([Self.rule("9")])
        rig.submit((0..<1500).flatMap { ["busy\($0)", "good\($0)"] }, attemptsLeft: 7)
        let ended = try await rig.outcomes(2000)
        #expect(ended.count { $0.status == 503 } >= 500)
        rig.driver.endAnswered()
        let outcomes = try await rig.outcomes(3000)
        #expect(outcomes.count { $0.status == 503 } == 1500)
        #expect(outcomes.count { $0.status == 200 } == 1500)
    }

    /// One message that FCM fails over holds back no other, and does not slow the lane.
    @Test(arguments: [FCMRefusal.unavailable, .badGateway, .internalError])
    func aFaultOfOneMessageIsItsOwn(_ refusal: FCMRefusal) async throws {
        let rig = try FCMRig({ $0.rules = [Self.rule("60", refusal)] }, { $0.patience = .seconds(1) })
        let response = try await rig.send(FCMFlowTests.token("busy"))
        #expect(response.status == refusal.status && response.retryAfter == .seconds(60))
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
    }
}

/// A driver with one lane to a simulator that plays FCM.
final class WaitRig: Sendable {
    private final class Owner: PushRequestOwner {
        let ended = Guarded<[FCMOutcome]>([])
    }

    let rig: FCMRig
    let driver: FCMDriver
    private let owner = Owner()

    init(_ rules: [SimulatorRule]) throws {
        var made: FCMConfiguration?
        rig = try FCMRig(
            { $0.rules = rules },
            {
                $0.messagesPerSecond = nil
                $0.connections = 1
                made = $0
            }
        )
        let lane = try #require(made)
        driver = try FCMDriver(name: "wb-fcm-wait", lanes: [lane], observer: rig.listener) { [owner] _, outcomes in
            owner.ended.withLock { $0 += outcomes }
        }
    }

    deinit {
        driver.close(grace: .zero)
        driver.join()
    }

    func submit(_ tokens: [String], attemptsLeft: Int, notAfter: Int64 = .max) {
        let content = Array(#"{"data":{}}"#.utf8)
        let requests = tokens.enumerated().map { index, token in
            FCMRequest(
                index: index,
                template: FCMTemplate(
                    token: Array(FCMFlowTests.token(token).utf8)[...],
                    content: content[...],
                    places: FCMTemplate.Places(data: 9, android: nil),
                    id: FCMTemplate.ID(name: "id", high: 1, low: UInt64(index)),
                    life: .unsaid
                ),
                notAfter: notAfter,
                resendsUnknown: false,
                attemptsLeft: attemptsLeft
            )
        }
        driver.submit([FCMRequestBatch(owner: owner, requests: requests)], lane: 0)
    }

    /// Waits for so many ends.
    func outcomes(_ count: Int) async throws -> [FCMOutcome] {
        try await until { _ in owner.ended.withLock { $0.count } >= count }
        return owner.ended.withLock { $0 }
    }

    /// Waits for what the lane shows.
    func until(_ isSo: (LaneRecord) -> Bool) async throws {
        for _ in 0..<4000 where !isSo(driver.records[0]) { try await Task.sleep(for: .milliseconds(5)) }
        try #require(isSo(driver.records[0]))
    }
}

extension FCMOutcome {
    /// The status of the answer; `nil` without one.
    fileprivate var status: Int? {
        if case .answered(let answer) = result { answer.status } else { nil }
    }

    /// The statuses of the attempts before it.
    fileprivate var past: [Int?] {
        history.map { if case .answered(let answer) = $0.result { answer.status } else { nil } }
    }
}
