/// The names of a delivery record's fields (`schemas/delivery-record.schema.json`).
enum Field {
    static let id: StaticString = "_id"
    static let givenID: StaticString = "apns_id"
    static let fingerprint: StaticString = "content"
    static let deviceToken: StaticString = "device_token"
    static let outcome: StaticString = "outcome"
    static let statusCode: StaticString = "status_code"
    static let reason: StaticString = "reason"
    static let message: StaticString = "message"
    static let date: StaticString = "date"
    /// The day of `date` (``LogDay``).
    static let day: StaticString = "day"
    static let expiresAt: StaticString = "expires_at"
    static let batchID: StaticString = "batch_id"
    static let position: StaticString = "position"
    static let client: StaticString = "client"
    static let serviceID: StaticString = "service_id"
    static let lane: StaticString = "lane"
    /// The push service; absent in records of APNs.
    static let provider: StaticString = "provider"
    /// What the push service calls what it took.
    static let providerID: StaticString = "provider_id"
    static let topic: StaticString = "topic"
    static let pushType: StaticString = "push_type"
    /// `payload` where the type was derived; absent where the message names it.
    static let pushTypeFrom: StaticString = "push_type_from"
    static let priority: StaticString = "priority"
    static let expiration: StaticString = "expiration"
    static let expirationFrom: StaticString = "expiration_from"
    static let maxAge: StaticString = "max_age"
    static let collapseID: StaticString = "collapse_id"
    static let attempts: StaticString = "attempts"
    static let latency: StaticString = "latency_ms"
    static let queued: StaticString = "queued_ms"
    /// A document with `first`, `number` and `of`.
    static let family: StaticString = "family"
    static let first: StaticString = "first"
    static let number: StaticString = "number"
    static let of: StaticString = "of"
    static let invalidSince: StaticString = "invalid_since"
    static let isRepeat: StaticString = "repeat"
    /// An array of documents with `date`, `status_code`, `reason` and `detail`.
    static let history: StaticString = "history"
    static let detail: StaticString = "detail"
    /// An array of documents with `reason`, `from`, `until` and `times`.
    static let waited: StaticString = "waited"
    static let from: StaticString = "from"
    static let until: StaticString = "until"
    static let times: StaticString = "times"
    /// Of deferred records: when the retry is due, and which pass it is.
    static let due: StaticString = "due"
    static let pass: StaticString = "pass"
    /// True in final records that statistics find by `date`; absent in all others.
    static let byDate: StaticString = "by_date"
}

/// Where the records are.
enum Deliveries {
    static let collection = "deliveries"
}
