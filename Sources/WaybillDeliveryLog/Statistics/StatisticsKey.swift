import WaybillCore
import WaybillEncoding

/// What final records have in common that are counted together.
struct StatisticsKey: Hashable, Sendable {
    /// The minute of the outcome, in whole minutes since 1970.
    var minute: Int64
    var outcome: String
    var client: String?
    var lane: String
    var topic: String?
    var pushType: String?
    var reason: String?

    init(
        minute: Int64,
        outcome: String,
        client: String? = nil,
        lane: String,
        topic: String? = nil,
        pushType: String? = nil,
        reason: String? = nil
    ) {
        self.minute = minute
        self.outcome = outcome
        self.client = client
        self.lane = lane
        self.topic = topic
        self.pushType = pushType
        self.reason = reason
    }

    /// As the store tells texts apart.
    static func == (left: Self, right: Self) -> Bool {
        left.minute == right.minute && left.outcome == right.outcome && left.client.isExactly(right.client)
            && left.lane.isExactly(right.lane) && left.topic.isExactly(right.topic)
            && left.pushType.isExactly(right.pushType) && left.reason.isExactly(right.reason)
    }

    init(_ record: borrowing DeliveryRecord) {
        minute = record.date / StatisticsMinute.milliseconds
        outcome = record.outcome.rawValue
        client = record.client
        lane = record.lane
        topic = record.topic
        pushType = record.kind
        reason = GroupedReason.text(of: record)
    }
}

/// How many final records there are of one key, and how long their answers took.
struct StatisticsCounts: Hashable, Sendable {
    var count = 0
    /// By bucket of ``LatencyBuckets``; of those that have a latency.
    var latency = [Int](repeating: 0, count: LatencyBuckets.count)

    /// - Parameters:
    ///   - number: how many more.
    ///   - bucket: of their latency; `nil` without one.
    mutating func add(_ number: Int = 1, bucket: Int?) {
        count += number
        if let bucket { latency[bucket] += number }
    }

    mutating func add(_ other: Self) {
        count += other.count
        for bucket in latency.indices { latency[bucket] += other.latency[bucket] }
    }
}
