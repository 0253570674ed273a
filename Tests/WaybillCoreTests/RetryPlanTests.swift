import Testing
import WaybillAPNS
import WaybillCore

/// The delay queues in virtual time.
struct RetryPlanTests {
    static let start: Int64 = 1_795_000_000_000
    static let policy = RetryPolicy()

    /// Follows a notification that meets the same fault each time: its waits in seconds, and its end.
    static func waits(
        _ retryClass: RetryClass,
        policy: RetryPolicy = policy,
        expiration: APNSExpiration = .immediate,
        limit: Int = 100
    ) -> (seconds: [Int], end: RetryPlan?) {
        var now = start
        var seconds: [Int] = []
        for pass in 1...limit {
            switch policy.plan(retryClass, pass: pass, now: now, firstSeen: start, expiration: expiration) {
            case .delay(let step):
                seconds.append(policy.steps[step].seconds)
                now += policy.steps[step].milliseconds
            case let end: return (seconds, end)
            }
        }
        return (seconds, nil)
    }

    @Test(arguments: [
        (RetryClass.notSent, [5, 30, 120, 900, 3600, 3600, 3600], Outcome.expired),
        (.connection, [5, 30, 120, 900, 3600, 3600, 3600], .rejected),
        (.serverFault, [5, 30, 120, 900, 3600, 3600, 3600], .rejected),
        (.tokenThrottled, [30, 120, 900, 3600, 3600, 3600, 3600], .rejected),
    ])
    func growingSteps(retryClass: RetryClass, seconds: [Int], outcome: Outcome) {
        let (waits, end) = Self.waits(retryClass)
        #expect(waits == seconds)
        #expect(end == .giveUp(outcome, reason: "gave up after 8 attempts"))
    }

    /// What is wrong with a lane is not the notification's fault: it waits for the operator.
    @Test(arguments: [RetryClass.laneFault, .providerToken])
    func laneFaultsUseUpNoAttempts(retryClass: RetryClass) {
        let (waits, end) = Self.waits(retryClass)
        #expect(waits.count == 100)
        #expect(waits.min() ?? 0 >= 30)
        #expect(end == nil)
    }

    @Test(arguments: RetryClass.allCases)
    func neverPastExpiration(retryClass: RetryClass) {
        for lifetime: Int64 in [1, 5, 6, 31, 60, 200, 1000, 5000, 100_000] {
            let (waits, end) = Self.waits(
                retryClass,
                expiration: .at(Self.start / 1000 + lifetime),
                limit: 1000
            )
            #expect(waits.reduce(0, +) < lifetime)
            guard case .giveUp(let outcome, _)? = end else {
                Issue.record("it never ends")
                continue
            }
            #expect(outcome == (retryClass == .notSent ? .expired : .rejected))
        }
    }

    /// Near the expiration a shorter step is better than none.
    @Test func shorterStepsNearTheExpiration() {
        let now = Self.start
        let plan = Self.policy.plan(
            .serverFault,
            pass: 4,
            now: now,
            firstSeen: now,
            expiration: .at(now / 1000 + 60)
        )
        #expect(plan == .delay(step: 1))
        let tooLate = Self.policy.plan(
            .tokenThrottled,
            pass: 1,
            now: now,
            firstSeen: now,
            expiration: .at(now / 1000 + 20)
        )
        #expect(tooLate == .giveUp(.rejected, reason: "expiration leaves no time for another attempt"))
    }

    @Test func neverPastTheGreatestAge() {
        let policy = RetryPolicy(steps: [DelayStep(seconds: 60)], maxAttempts: 1000, maxAge: .seconds(600))
        let (waits, end) = Self.waits(.serverFault, policy: policy)
        #expect(waits.count == 9)
        #expect(end == .giveUp(.rejected, reason: "gave up at the greatest age"))
    }

    @Test func oneShortStep() {
        let policy = RetryPolicy(steps: [DelayStep(seconds: 1)], maxAttempts: 3)
        for retryClass in RetryClass.allCases {
            let plan = policy.plan(
                retryClass,
                pass: 2,
                now: Self.start,
                firstSeen: Self.start,
                expiration: .absent
            )
            #expect(plan == .delay(step: 0))
        }
    }

    @Test(arguments: [(0, 1), (59, 1), (240, 2), (1800, 3), (86_400, 3)])
    func parkedMessages(ageInSeconds: Int64, step: Int) {
        #expect(Self.policy.parkedStep(firstSeen: Self.start, now: Self.start + ageInSeconds * 1000) == step)
    }

    @Test func parkedMessagesWithLongStepsOnly() {
        let policy = RetryPolicy(steps: [DelayStep(seconds: 7200)])
        #expect(policy.parkedStep(firstSeen: Self.start, now: Self.start) == 0)
    }

    @Test func policiesAreSorted() {
        let policy = RetryPolicy(steps: [60, 5, 60].map(DelayStep.init(seconds:)))
        #expect(policy.steps.map(\.seconds) == [5, 60])
    }

    @Test(
        arguments: [
            ("5s", 5), ("90s", 90), ("60s", 60), ("2m", 120), ("1h", 3600), ("168h", 604_800), ("169h", nil),
            ("0s", nil),
            ("-5s", nil), ("+5s", nil), ("5", nil), ("s", nil), ("", nil), ("5d", nil), ("1.5m", nil), (" 5s", nil),
        ] as [(String, Int?)]
    )
    func steps(text: String, seconds: Int?) {
        #expect(DelayStep(text)?.seconds == seconds)
    }

    @Test(arguments: [(5, "5s"), (60, "1m"), (90, "90s"), (900, "15m"), (3600, "1h"), (5400, "90m")])
    func stepNames(seconds: Int, name: String) {
        #expect(DelayStep(seconds: seconds).name == name)
        #expect(DelayStep(name)?.seconds == seconds)
    }
}
