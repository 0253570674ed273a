import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillProviders

@testable import WaybillOperations

@Suite("When a deferred notification is tried again")
struct RetryTimeTests {
    private static let date: Int64 = 1_790_000_000_000

    private func record(
        _ outcome: Outcome = .deferred,
        attempts: Int = 1,
        reason: String? = "ServiceUnavailable",
        date: Int64 = Self.date
    ) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("outcome", string: outcome.rawValue)
                writer.append("attempts", int: attempts)
                if let reason { writer.append("reason", string: reason) }
                writer.append("date", date: date)
            }
        )
    }

    private func time(_ record: LoggedDelivery, _ steps: [Int]) -> RetryTime? {
        RetryTime(of: record, policy: RetryPolicy(steps: steps.map(DelayStep.init(seconds:))), provider: .apns)
    }

    @Test(
        "it is within the first and the last step, and for its lane's sake within a quarter of an hour",
        arguments: [
            (1, "ServiceUnavailable", [5, 30, 120, 900, 3600], 5, 3600), (3, nil, [10, 60], 10, 60),
            (1, "ServiceUnavailable", [7], 7, 7), (0, "unreachable", [5, 30, 120, 900, 3600], 5, 900),
            (2, "InvalidProviderToken", [5, 30, 120, 900, 3600], 5, 900),
            // No step is as short, or as long, as one would like.
            (0, "unreachable", [3600, 7200], 3600, 3600), (1, "InvalidProviderToken", [5, 10], 5, 10),
        ] as [(Int, String?, [Int], Int64, Int64)]
    )
    func within(attempts: Int, reason: String?, steps: [Int], first: Int64, last: Int64) throws {
        let found = try #require(time(record(attempts: attempts, reason: reason), steps))
        #expect(found.earliest == Self.date + first * 1000)
        #expect(found.latest == Self.date + last * 1000)
    }

    @Test(
        "a group is within the first step of its first one and the longest step of its last one, as each of them says",
        arguments: [(0, nil, 900), (1, "ServiceUnavailable", 3600), (2, "InvalidProviderToken", 900)]
            as [(Int, String?, Int64)]
    )
    func group(attempts: Int, reason: String?, last: Int64) throws {
        let policy = RetryPolicy(steps: [5, 30, 120, 900, 3600].map(DelayStep.init(seconds:)))
        let group = DeliveryGroup(
            outcome: "deferred",
            reason: reason,
            count: 3,
            first: Self.date,
            last: Self.date + 60_000
        )
        let dates = [Self.date, Self.date + 7000, Self.date + 60_000]
        let examples = dates.map { record(attempts: attempts, reason: reason, date: $0) }
        let found = try #require(RetryTime(of: group, examples: examples, policy: policy, provider: .apns))
        #expect(found.earliest == Self.date + 5000)
        #expect(found.latest == Self.date + 60_000 + last * 1000)
        let own = examples.compactMap { RetryTime(of: $0, policy: policy, provider: .apns) }
        #expect(own.map(\.earliest).min() == found.earliest && own.map(\.latest).max() == found.latest)
        let ended = DeliveryGroup(outcome: "rejected", count: 1, first: 0, last: 0)
        #expect(RetryTime(of: ended, examples: [], policy: policy, provider: .apns) == nil)
    }

    @Test("what is final is not tried again", arguments: Outcome.allCases.filter(\.isFinal))
    func final(outcome: Outcome) {
        #expect(time(record(outcome), [5]) == nil)
    }

    @Test("a date out of all bounds is read as the last within them") func bounds() throws {
        let found = try #require(time(record(date: .max), [5]))
        #expect(found.earliest == BSONValue.dates.upperBound + 5000)
    }

    @Test("the step has both times, and says what it means that they are over") func step() throws {
        let found = try #require(time(record(), [5, 30]))
        let waiting = found.step(now: Self.date)
        #expect(waiting.kind == .due)
        #expect(waiting.date == Self.date + 5000)
        #expect(waiting.latest == Self.date + 30_000)
        #expect(waiting.text.hasPrefix("not before, and by 2026-09-21T14:13:50.000Z at the latest"))
        #expect(found.step(now: Self.date + 30_001).text.contains("waits in the retry queue"))
        let exact = try #require(time(record(), [5])).step(now: Self.date)
        #expect(exact.text == "not before; then as soon as its lane sends")
    }
}
