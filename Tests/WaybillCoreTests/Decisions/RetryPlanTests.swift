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
        (RetryClass.connection, [5, 10, 30, 120, 900, 3600, 3600]),
        (.serverFault, [5, 10, 30, 120, 900, 3600, 3600]),
        (.unanswered, [5, 10, 30, 120, 900, 3600, 3600]),
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
        #expect(plan == .delay(step: 2, pass: 5))
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
    @Test(arguments: [(0, 0, 0), (5, 0, 0), (6, 1, 1), (31, 3, 3), (901, 5, nil), (3600, 5, nil), (9999, 5, nil)])
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

    /// Eight attempts span 2 hours and 18 minutes.
    @Test func spanOfTheDefaultSteps() {
        #expect(Self.policy.steps.map(\.name) == ["5s", "10s", "30s", "2m", "15m", "1h"])
        let (seconds, _, _) = Self.waits(.serverFault)
        #expect(seconds.reduce(0, +) == 8265)
    }

    /// Waits in seconds of an item whose attempts all get the same answer.
    private static func waits(retryAfter: Int = 0, leastWait: Int = 0, lifetime: Int64, passes: Int = 8) -> [Int] {
        var (now, pass, waits) = (start, 1, [Int]())
        let deadline = deadline(.at(start / 1000 + lifetime))
        while waits.count < passes,
            case .delay(let step, let next) = policy.plan(
                .serverFault,
                pass: pass,
                now: now,
                firstSeen: start,
                deadline: deadline,
                retryAfter: retryAfter,
                leastWait: leastWait
            )
        {
            pass = next
            waits.append(policy.steps[step].seconds)
            now += policy.steps[step].milliseconds
        }
        return waits
    }

    /// With 90 s to live and two answers that ask for 30 s the third attempt is made in time.
    @Test(
        arguments: [
            (30, 0, 90, [30, 30]), (30, 0, 300, [30, 30, 30, 30, 30, 30, 30]), (2, 0, 12, [5, 5]),
            (29, 0, 62, [30, 30]), (121, 0, 2000, [900, 900]), (0, 10, 100_000, [10, 30, 120, 900, 3600, 3600, 3600]),
            (0, 60, 1000, [120, 120, 120, 120, 120, 120, 120]),
        ] as [(Int, Int, Int64, [Int])]
    )
    func aRequestedTimeIsTheWaitWhateverThePass(retryAfter: Int, leastWait: Int, lifetime: Int64, waits: [Int]) {
        #expect(Self.waits(retryAfter: retryAfter, leastWait: leastWait, lifetime: lifetime) == waits)
    }

    /// The floor of a class holds only where the provider asks for nothing.
    @Test(arguments: [(RetryClass.tokenThrottled, 7, 1), (.tokenThrottled, 0, 2), (.laneFault, 7, 2)])
    func aRequestReplacesTheFloorOfAnAttempt(retryClass: RetryClass, retryAfter: Int, step: Int) {
        let plan = Self.policy.plan(
            retryClass,
            pass: 1,
            now: Self.start,
            firstSeen: Self.start,
            deadline: Self.deadline(.absent),
            retryAfter: retryAfter
        )
        #expect(plan == .delay(step: step, pass: retryClass.countsAttempts ? 2 : 1))
    }

    /// What waits for the end of a silence waits no longer than that, and as a message of a parked lane at the most.
    @Test(arguments: [(1, 0), (5, 0), (6, 1), (10, 1), (11, 2), (60, 2), (3600, 2)])
    func aSilenceBoundsTheWaitOfWhatWasNotSent(seconds: Int, step: Int) {
        let plan = Self.policy.plan(
            .notSent,
            pass: 3,
            now: Self.start,
            firstSeen: Self.start,
            deadline: Self.deadline(.absent),
            retryAfter: seconds
        )
        #expect(plan == .delay(step: step, pass: 3))
        let parked = Self.policy.parkedStep(firstSeen: Self.start, now: Self.start, silence: .seconds(seconds))
        #expect(parked == step)
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

    @Test(arguments: [(0, 2), (59, 2), (240, 3), (1800, 4), (86_400, 4)])
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
