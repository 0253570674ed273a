import HTTPTypes
import WaybillAccounts
import WaybillEncoding
import WaybillNotifications

/// What a producer asks of `POST /v1/notifications`: 400 for what has not the form, with the field and its limit.
enum NoticeForm {
    static let members: Set<String> = [
        "level", "title", "body", "text", "url", "collapse_id", "expiration", "ttl", "data",
    ]

    /// What `PUT /v1/notifications/read` takes.
    static let readMembers: Set<String> = ["until", "service", "device"]
    static let markMembers: Set<String> = ["device"]
    /// What `include` may name.
    static let deliveries = "deliveries"

    private static let titleBytes = 256
    private static let collapseBytes = 256
    /// Seconds; APNs keeps nothing for longer than a month.
    private static let lifetimes: ClosedRange<Int64> = 0...(30 * 86_400)

    /// - Parameters:
    ///   - body: the request's.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be said.
    /// - Throws: ``Problem`` 400.
    static func content(_ body: TypedBody, now: Int64) throws(Problem) -> ServiceNotification {
        var checks = FieldChecks(body.faults)
        let level = checks.read("level") { () throws(Problem) in try Self.level(body) }
        let said = checks.read("body") { () throws(Problem) in
            guard let text = try body.text("body") else { throw .field("body", "the body has no body") }
            return text
        }
        let more = checks.read("text") { () throws(Problem) in try body.text("text") }
        let url = checks.read("url") { () throws(Problem) in try Self.url(body) }
        let title = checks.read("title") { () throws(Problem) in try body.text("title", limit: titleBytes) }
        let collapseID = checks.read("collapse_id") { () throws(Problem) in
            try body.text("collapse_id", limit: collapseBytes)
        }
        let lifetime = checks.read("ttl") { () throws(Problem) in try body.integer("ttl", in: lifetimes) }
        let expiration = checks.read("expiration") { () throws(Problem) in
            try Self.expiration(body, lifetime: lifetime ?? nil, now: now)
        }
        let data = checks.read("data") { () throws(Problem) in try body.object("data") }
        guard let level, let said, let more, let url, let title, let collapseID, let expiration, let data else {
            throw checks.problem
        }
        try checks.require()
        var content = ServiceNotification(level: level, body: said, text: more, url: url)
        content.title = title
        content.collapseID = collapseID
        content.expiration = expiration
        content.data = data
        return content
    }

    private static func level(_ body: TypedBody) throws(Problem) -> NotificationLevel {
        guard let name = try body.text("level"), let level = NotificationLevel(name: name) else {
            let words = NotificationLevel.allCases.map(\.name).joined(separator: ", ")
            throw .field("level", "level must be one of \(words)")
        }
        return level
    }

    /// Until when somebody has read everything, of which service, and on which device.
    ///
    /// - Parameters:
    ///   - body: the request's.
    ///   - now: milliseconds since 1970: nobody has read what is yet to come.
    /// - Returns: the end in milliseconds since 1970; a `service` of `nil` is all of them, a `device` of `nil` one that nobody knows.
    /// - Throws: ``Problem`` 400.
    static func reading(
        _ body: BodyText,
        now: Int64
    ) throws(Problem) -> (service: String?, device: String?, end: Int64) {
        try body.form { body, checks in
            let end = checks.read("until") { () throws(Problem) in try Self.end(body, now: now) }
            return end.map { (service: body.value("service"), device: body.value("device"), end: $0) }
        }
    }

    private static func end(_ body: BodyText.Members, now: Int64) throws(Problem) -> Int64 {
        guard let said = body.value("until") else { return now }
        guard let time = TimeText.instant(said) else {
            throw .field("until", "until must be a time with Z or an offset, such as 2026-01-31T08:00:00.000Z")
        }
        return min(time, now)
    }

    private static func url(_ body: TypedBody) throws(Problem) -> String? {
        guard let url = try body.text("url", limit: NoticeURL.most) else { return nil }
        if let problem = NoticeURL.problem(url) { throw .field("url", problem) }
        return url
    }

    private static func expiration(
        _ body: TypedBody,
        lifetime: Int64?,
        now: Int64
    ) throws(Problem) -> Int64? {
        guard let said = try body.text("expiration") else {
            // 0 is one attempt, of which APNs keeps nothing.
            return lifetime.map { $0 == 0 ? 0 : now / 1000 + $0 }
        }
        guard lifetime == nil else { throw Problem(.badRequest, "say expiration or ttl, not both") }
        guard let time = TimeText.instant(said) else {
            throw Problem(.badRequest, "expiration must be a time with Z or an offset, such as 2030-01-31T08:00:00Z")
        }
        guard time > now, time - now <= lifetimes.upperBound * 1000 else {
            throw Problem(
                .badRequest,
                "expiration must be a time to come, such as 2030-01-31T08:00:00Z, within 30 days"
            )
        }
        return time / 1000
    }
}
