/// A push that was sent: an entry of a record's `history`.
package struct AttemptRecord: Hashable, Sendable {
    /// When it ended, in milliseconds since 1970.
    package var date: Int64
    /// The HTTP status; `nil` without an answer.
    package var status: Int?
    /// The provider's word, or how the answer was lost.
    package var reason: String?
    /// From the request to that end, in milliseconds; `nil` where it is not known.
    package var latency: Double?
    /// The provider's own words beside it, where these say more; never a token.
    package var detail: String?

    package init(date: Int64, status: Int?, reason: String?, latency: Double? = nil, detail: String? = nil) {
        self.date = date
        self.status = status
        self.reason = reason
        self.latency = latency
        self.detail = detail
    }

    /// A latency in nanoseconds as records have it: to the microsecond; `nil` for 0.
    package static func milliseconds(_ nanoseconds: UInt64) -> Double? {
        nanoseconds == 0 ? nil : Double(nanoseconds / 1000) / 1000
    }

    /// When it was sent, in milliseconds since 1970, as far as that is known.
    package var sentAt: Int64 {
        // A record may come from anybody's hands, with any number.
        max(date, 0) - (latency.flatMap { (0..<1e12).contains($0) ? Int64($0) : nil } ?? 0)
    }

    /// Whether the provider may have taken it without a word.
    package var isUnanswered: Bool {
        status == nil && !Self.unread.contains(reason ?? "")
    }

    /// Whether the provider may have taken the push in spite of its answer, or of the lack of one: another push may be its second.
    package var mayHaveBeenTaken: Bool {
        status.map { Self.doubtful.contains($0) } ?? isUnanswered
    }

    /// The service failed, or the front end before it, after the request had reached it.
    private static let doubtful: Set<Int> = [500, 502, 504]

    /// The client's words for a request that was sent, and that the provider says it has not looked at (RFC 9113 §6.8, §8.7).
    private static let unread: Set<String> = ["goaway", "refused_stream"]
}

extension [AttemptRecord] {
    /// Whether a push was sent after one that may have been taken.
    package var hasRepeat: Bool { dropLast().contains(where: \.mayHaveBeenTaken) }
}
