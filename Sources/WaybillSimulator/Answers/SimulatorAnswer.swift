import WaybillEncoding

/// A complete answer to one request: a status, and what the body says.
package struct SimulatorAnswer: Hashable, Sendable {
    /// What stands in the body under `timestamp`.
    package enum Timestamp: Hashable, Sendable {
        /// No such member.
        case absent
        /// The moment of the answer.
        case now
        /// A given instant, in milliseconds since 1970.
        case at(Int64)
    }

    /// The HTTP status.
    package var status: Int
    /// The reason, free text so that undocumented ones can be tried; `nil` with 200, or for an answer without body.
    package var reason: String?
    /// The `timestamp` of a 410: the last time the token was known to be invalid.
    package var timestamp: Timestamp
    /// A body to send in place of the one made from `reason` and `timestamp`.
    package var body: String?
    /// How it leaves; `nil` is the plain way.
    package var form: AnswerForm? {
        get {
            guard case .form(let form) = keptForm else { return nil }
            return form
        }
        set { keptForm = newValue.map { .form($0) } }
    }

    /// Kept apart, so that the many plain answers stay small.
    private indirect enum KeptForm: Hashable, Sendable {
        case form(AnswerForm)
    }

    private var keptForm: KeptForm?

    package init(
        status: Int,
        reason: String? = nil,
        timestamp: Timestamp = .absent,
        body: String? = nil,
        form: AnswerForm? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.body = body
        self.form = form
    }

    /// 200: accepted.
    package static let accepted = SimulatorAnswer(status: 200)

    /// The answer Apple documents for a reason; a 410 carries the present time.
    package static func documented(_ reason: DocumentedReason) -> SimulatorAnswer {
        SimulatorAnswer(
            status: reason.status,
            reason: reason.rawValue,
            timestamp: reason.status == 410 ? .now : .absent
        )
    }

    /// The body's bytes.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: nothing for 200.
    package func bodyBytes(now: Int64) -> [UInt8] {
        if let body { return Array(body.utf8) }
        if let count = form?.bodyBytes { return Self.padded(reason: reason ?? "", to: count) }
        guard let reason else { return [] }
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("reason", reason)
        switch timestamp {
        case .absent: break
        case .now: json.member("timestamp", now)
        case .at(let instant): json.member("timestamp", instant)
        }
        json.endObject()
        return json.bytes
    }

    /// A JSON object of exactly so many bytes, whose reason begins with a text and goes on with `x`.
    ///
    /// Fewer bytes than the object needs leave the reason as it is.
    static func padded(reason: String, to count: Int) -> [UInt8] {
        var json = JSONWriter(capacity: count)
        json.beginObject()
        json.member("reason", reason)
        var bytes = json.bytes
        bytes.removeLast()
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: max(0, count - bytes.count - 2)))
        bytes.append(contentsOf: "\"}".utf8)
        return bytes
    }
}
