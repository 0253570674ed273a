package import WaybillCore

/// Records that ended alike: the same outcome, client, lane and topic, and ``GroupedReason``.
package struct DeliveryGroup: Hashable, Sendable {
    /// A word of ``WaybillCore/Outcome``, or one of a newer release.
    package var outcome: String
    package var reason: String?
    package var client: String?
    package var lane: String?
    package var topic: String?
    /// The push service's name; `nil` for APNs, and where nobody has looked.
    package var provider: String?
    package var count: Int
    /// The date of the first of these outcomes, in milliseconds since 1970.
    package var first: Int64
    /// The date of the last of them.
    package var last: Int64
    /// Up to three of the records.
    package var examples: [NotificationID]
    /// Of what is deferred: before when none of it is tried again, and when all of it is back from the delay queues, in milliseconds since
    /// 1970; `nil` where nobody has looked.
    package var due: ClosedRange<Int64>?
    /// The provider's own words in the first example's record; `nil` if it has no words, or was not read.
    package var detail: String?
    /// The expiration in the first example's record, in seconds since 1970; `nil` if it has no expiration, or was not read.
    package var expiration: Int64?
    /// The origin of that expiration.
    package var expirationFrom: ExpirationOrigin?

    package init(
        outcome: String,
        reason: String? = nil,
        client: String? = nil,
        lane: String? = nil,
        topic: String? = nil,
        count: Int,
        first: Int64,
        last: Int64,
        examples: [NotificationID] = []
    ) {
        self.outcome = outcome
        self.reason = reason
        self.client = client
        self.lane = lane
        self.topic = topic
        self.count = count
        self.first = first
        self.last = last
        self.examples = examples
    }

    /// Whether an operator wanted it so: that is no failure.
    package var isCancelled: Bool { outcome == Outcome.cancelled.rawValue }

    /// Whether newer accepted notifications took the place of these: that is no failure.
    package var isSuperseded: Bool { outcome == Outcome.superseded.rawValue }

    /// Whether it is neither accepted nor on its way, and nobody wanted it so.
    package var isFailure: Bool {
        outcome != Outcome.accepted.rawValue && outcome != Outcome.deferred.rawValue && !isCancelled && !isSuperseded
    }
}
