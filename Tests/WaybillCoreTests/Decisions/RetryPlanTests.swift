import Testing
import WaybillCore

/// The delay queues in virtual time.
struct RetryPlanTests {
    static let start: Int64 = 1_795_000_000_000
    static let policy = RetryPolicy()
    static let counted: [RetryClass] = [.connection, .serverFault, .unanswered, .tokenThrottled]
    static let uncounted = RetryClass.allCases.filter { !counted.contains($0) }

    static func deadline(_ expiration: Expiration = .immediate, retriesEnd: Int64? = nil) -> Deadline {
        Deadline(expiration: expiration, maxAge: nil, messageTime: start, retriesEnd: retriesEnd)
    }

    /// Follows a notification that meets the same fault each time: its waits in seconds, and its end.
    static func waits(
        _ retryClass: RetryClass,
        policy: RetryPolicy = policy,
        deadline: Deadline = deadline(),
        limit: Int = 100
    ) -> (seconds: [Int], pass: Int, end: RetryPlan?) {
        var now = start
        var pass = 1
        var seconds: [Int] = []
        for _ in 1...limit {
            switch policy.plan(retryClass, pass: pass, now: now, firstSeen: start, deadline: deadline) {
            case .delay(let step, let next):
                pass = next
                seconds.append(policy.steps[step].seconds)
                now += policy.steps[step].milliseconds
            case let end: return (seconds, pass, end)
            }
        }
        return (seconds, pass, nil)
    }

    @Test(arguments: [
        (RetryClass.connection, [5, 30, 120, 900, 3600, 3600, 3600]),
        (.serverFault, [5, 30, 120, 900, 3600, 3600, 3600]),
        (.unanswered, [5, 30, 120, 900, 3600, 3600, 3600]),
        (.tokenThrottled, [30, 120, 900, 3600, 3600, 3600, 3600]),
    ])
    func growingSteps(retryClass: RetryClass, seconds: [Int]) {
        let (waits, pass, end) = Self.waits(retryClass)
        #expect(waits == seconds)
        #expect(pass == 8)
        #expect(end == .giveUp(.attemptsUsedUp))
    }

    /// What was not sent, or is wrong with the lane, is not the notification's fault: it waits, a hundred times if need be,
    /// and no longer than a quarter of an hour at a time.
    @Test(arguments: uncounted)
    func whatIsNotItsOwnFaultUsesUpNoAttempts(retryClass: RetryClass) {
        let (waits, pass, end) = Self.waits(retryClass)
        #expect(waits.count == 100)
        #expect(pass == 1)
        #expect(waits.min() ?? 0 >= 30)
        #expect(waits.max() ?? 0 <= 900)
        #expect(end == nil)
    }

    @Test(arguments: RetryClass.allCases)
    func neverPastExpiration(retryClass: RetryClass) {
        for lifetime: Int64 in [1, 5, 6, 31, 60, 200, 1000, 5000, 100_000] {
            let (waits, _, end) = Self.waits(
                retryClass,
                policy: RetryPolicy(maxAttempts: 1000),
                deadline: Self.deadline(.at(Self.start / 1000 + lifetime)),
                limit: 1000
            )
            #expect(waits.reduce(0, +) < lifetime)
            #expect(end == .giveUp(.tooLate(.expiration)))
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
            deadline: Self.deadline(.at(now / 1000 + 60))
        )
        #expect(plan == .delay(step: 1, pass: 5))
        let tooLate = Self.policy.plan(
            .tokenThrottled,
            pass: 1,
            now: now,
            firstSeen: now,
            deadline: Self.deadline(.at(now / 1000 + 20))
        )
        #expect(tooLate == .giveUp(.tooLate(.expiration)))
    }

    /// Seconds that APNs asks for, the step that is taken, and what becomes of it before an expiration in 20 minutes.
    @Test(arguments: [(0, 0, 0), (5, 0, 0), (6, 1, 1), (31, 2, 2), (901, 4, nil), (3600, 4, nil), (9999, 4, nil)])
    func noStepIsShorterThanRetryAfter(seconds: Int, step: Int, beforeExpiration: Int?) {
        func plan(_ deadline: Deadline) -> RetryPlan {
            Self.policy.plan(
                .serverFault,
                pass: 1,
                now: Self.start,
                firstSeen: Self.start,
                deadline: deadline,
                retryAfter: seconds
            )
        }
        #expect(plan(Self.deadline()) == .delay(step: step, pass: 2))
        let soon = plan(Self.deadline(.at(Self.start / 1000 + 1200)))
        #expect(soon == beforeExpiration.map { .delay(step: $0, pass: 2) } ?? .giveUp(.tooLate(.expiration)))
    }

    @Test func neverPastTheGreatestAge() {
        let policy = RetryPolicy(steps: [DelayStep(seconds: 60)], maxAttempts: 1000, maxAge: .seconds(600))
        let limit = policy.retriesEnd(firstSeen: Self.start)
        let (waits, _, end) = Self.waits(.serverFault, policy: policy, deadline: Self.deadline(retriesEnd: limit))
        #expect(waits.count == 9)
        #expect(end == .giveUp(.tooLate(.maxAge)))
    }

    @Test func oneShortStep() {
        let policy = RetryPolicy(steps: [DelayStep(seconds: 1)], maxAttempts: 3)
        for retryClass in RetryClass.allCases {
            let plan = policy.plan(
                retryClass,
                pass: 2,
                now: Self.start,
                firstSeen: Self.start,
                deadline: Self.deadline(.absent)
            )
            #expect(plan == .delay(step: 0, pass: retryClass.countsAttempts ? 3 : 2))
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
