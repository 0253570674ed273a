package import WaybillCore
import WaybillEncoding

/// The parts of a batch, and its slowest answers.
package struct BatchParts: Hashable, Sendable {
    /// One `batch_id`: the batch's own, or `NAME.1`, `NAME.2` and so on.
    package struct Part: Hashable, Sendable {
        package let name: String
        /// In the order of the schema.
        package let outcomes: [OutcomeCount]

        package init(name: String, outcomes: [OutcomeCount]) {
            self.name = name
            self.outcomes = outcomes
        }

        package var count: Int { outcomes.reduce(0) { $0 + $1.count } }
    }

    /// A notification that the provider took long to answer.
    package struct SlowAnswer: Hashable, Sendable {
        package let id: NotificationID
        package let batch: String
        package let latencyMilliseconds: Double

        /// The highest is told first; of two that took as long, that of the higher id.
        var rank: (Double, UInt64, UInt64) { (latencyMilliseconds, id.high, id.low) }
    }

    /// How many parts and answers are of use to anybody.
    static let mostParts = 100
    static let mostAnswers = 5

    /// A hundred at the most: those with the most records that are not accepted, then by their names.
    package let parts: [Part]
    /// How many there are.
    package let partCount: Int
    /// Five at the most, the slowest first.
    package let slowest: [SlowAnswer]
}

/// Adds up what the store counted by part and by how it ended; the sum is the same in whatever ranges, and in whatever order.
package struct BatchPartsFold: Sendable {
    private struct Key: Hashable, Comparable {
        let outcome: String
        let reason: String?
        let client: String?
        let lane: String?
        let topic: String?

        /// As the store tells texts apart.
        static func == (left: Key, right: Key) -> Bool {
            left.outcome == right.outcome && left.reason.isExactly(right.reason)
                && left.client.isExactly(right.client) && left.lane.isExactly(right.lane)
                && left.topic.isExactly(right.topic)
        }

        static func < (left: Key, right: Key) -> Bool {
            (left.outcome, left.reason ?? "", left.client ?? "", left.lane ?? "", left.topic ?? "")
                < (right.outcome, right.reason ?? "", right.client ?? "", right.lane ?? "", right.topic ?? "")
        }
    }

    private var groups: [Key: DeliveryGroup] = [:]
    private var outcomes: [ExactName: [String: Int]] = [:]
    /// The slowest answers that are known.
    package var slowest: [BatchParts.SlowAnswer] = []
    /// Where others are; no record is in two of them.
    var places: [SlowPlace] = []

    package init() {}

    /// Takes what one part has of one group.
    mutating func add(_ group: DeliveryGroup, part: String, slowest answers: [BatchParts.SlowAnswer] = []) {
        let key = Key(
            outcome: group.outcome,
            reason: group.reason,
            client: group.client,
            lane: group.lane,
            topic: group.topic
        )
        groups[key] = groups[key].map { $0.adding(group) } ?? group
        outcomes[ExactName(part), default: [:]][group.outcome, default: 0] += group.count
        keepSlowest(of: answers)
    }

    /// Takes what others have counted.
    package mutating func add(_ other: BatchPartsFold) {
        groups.merge(other.groups) { $0.adding($1) }
        outcomes.merge(other.outcomes) { $0.merging($1, uniquingKeysWith: +) }
        keepSlowest(of: other.slowest)
        places += other.places
    }

    /// Of answers that took as long, those with the highest ids are kept, as the store keeps them.
    private mutating func keepSlowest(of answers: [BatchParts.SlowAnswer]) {
        guard !answers.isEmpty else { return }
        slowest += answers
        slowest.sort { $1.rank < $0.rank }
        slowest.removeLast(max(0, slowest.count - BatchParts.mostAnswers))
    }

    /// How many a part has.
    func count(ofPart part: String) -> Int { outcomes[part]?.values.reduce(0, +) ?? 0 }

    /// Whether at least half of it was accepted; so nothing was counted yet, either.
    package var isMostlyAccepted: Bool {
        let sum = groups.values.reduce((all: 0, accepted: 0)) { sum, group in
            (sum.all + group.count, sum.accepted + (group.outcome == Outcome.accepted.rawValue ? group.count : 0))
        }
        return 2 * sum.accepted >= sum.all
    }

    /// The largest group first; no more than are of use to anybody.
    package var sortedGroups: [DeliveryGroup] {
        let sorted = groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        return sorted.prefix(DeliveryLogReader.mostGroups).map(\.value)
    }

    package var parts: BatchParts {
        let parts = outcomes.map { name, counts in
            (
                missed: counts.reduce(0) { $0 + ($1.key == Outcome.accepted.rawValue ? 0 : $1.value) },
                // NAME.2 before NAME.10.
                length: name.text.utf8.count, name: name, counts: counts
            )
        }
        let sorted = parts.sorted { ($1.missed, $0.length, $0.name) < ($0.missed, $1.length, $1.name) }
        return BatchParts(
            parts: sorted.prefix(BatchParts.mostParts).map { part in
                let counts = part.counts.map { OutcomeCount(outcome: $0.key, count: $0.value) }
                return BatchParts.Part(name: part.name.text, outcomes: counts.sorted { $0.rank < $1.rank })
            },
            partCount: parts.count,
            slowest: slowest
        )
    }
}

extension DeliveryGroup {
    /// So many ids stand for the others.
    static let mostExamples = 3

    /// Both in one; of the examples the newest two and the oldest.
    fileprivate func adding(_ other: DeliveryGroup) -> DeliveryGroup {
        var sum = self
        sum.count += other.count
        sum.first = min(first, other.first)
        sum.last = max(last, other.last)
        sum.examples = Set(examples + other.examples).sorted { ($1.high, $1.low) < ($0.high, $0.low) }
        if sum.examples.count > Self.mostExamples {
            sum.examples.removeSubrange((Self.mostExamples - 1)..<(sum.examples.count - 1))
        }
        return sum
    }
}
