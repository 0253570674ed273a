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
    private static let urlBytes = 2048
    /// What runs or shows something of the page or the phone that opens it, in place of leading anywhere.
    private static let refusedSchemes: Set<String> = ["javascript", "data", "vbscript", "file"]
    private static let collapseBytes = 256
    /// Seconds; APNs keeps nothing for longer than a month.
    private static let lifetimes: ClosedRange<Int64> = 0...(30 * 86_400)

    /// - Parameters:
    ///   - body: the request's.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be said.
    /// - Throws: ``Problem`` 400.
    static func content(_ body: TypedBody, now: Int64) throws(Problem) -> ServiceNotification {
        guard let name = try body.text("level"), let level = NotificationLevel(name: name) else {
            throw Problem(
                .badRequest,
                "level is one of \(NotificationLevel.allCases.map(\.name).joined(separator: ", "))"
            )
        }
        guard let text = try body.text("body") else { throw Problem(.badRequest, "the body has no body") }
        var content = ServiceNotification(
            level: level,
            body: text,
            text: try body.text("text"),
            url: try url(body)
        )
        content.title = try body.text("title", limit: titleBytes)
        content.collapseID = try body.text("collapse_id", limit: collapseBytes)
        content.expiration = try expiration(body, now: now)
        content.data = try body.object("data")
        return content
    }

    /// Until when everything has been read.
    ///
    /// - Parameters:
    ///   - body: the request's.
    ///   - now: milliseconds since 1970: nobody has read what is yet to come.
    /// - Returns: milliseconds since 1970.
    /// - Throws: ``Problem`` 400.
    static func end(_ body: BodyText, now: Int64) throws(Problem) -> Int64 {
        guard let said = body.value("until") else { return now }
        guard let time = TimeText.date(said) else {
            throw Problem(.badRequest, "until is a time, such as 2026-01-31T08:00:00.000Z")
        }
        return min(time, now)
    }

    private static func url(_ body: TypedBody) throws(Problem) -> String? {
        guard let url = try body.text("url", limit: urlBytes) else { return nil }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let scheme = scheme(url) else {
            throw Problem(.badRequest, "url is one with a scheme, such as https:, and without spaces")
        }
        guard !refusedSchemes.contains(scheme) else {
            throw Problem(
                .badRequest,
                "url must not be one of \(refusedSchemes.sorted().map { "\($0):" }.joined(separator: ", "))"
            )
        }
        return url
    }

    /// In small letters; `nil` where there is none: letters, and then digits, `+`, `-` and `.` besides.
    private static func scheme(_ url: String) -> String? {
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < url.utf8.count, let first = scheme.first, Character(UnicodeScalar(first)).isLetter,
            scheme.allSatisfy({ byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
            })
        else { return nil }
        return String(decoding: scheme, as: UTF8.self).lowercased()
    }

    private static func expiration(_ body: TypedBody, now: Int64) throws(Problem) -> Int64? {
        let ttl = try body.integer("ttl", in: lifetimes)
        guard let said = try body.text("expiration") else {
            // 0 is one attempt, of which APNs keeps nothing.
            return ttl.map { $0 == 0 ? 0 : now / 1000 + $0 }
        }
        guard ttl == nil else { throw Problem(.badRequest, "say expiration or ttl, not both") }
        guard let time = TimeText.date(said), time > now,
            time - now <= lifetimes.upperBound * 1000
        else {
            throw Problem(.badRequest, "expiration is a time to come, such as 2030-01-31T08:00:00Z, within 30 days")
        }
        return time / 1000
    }
}
