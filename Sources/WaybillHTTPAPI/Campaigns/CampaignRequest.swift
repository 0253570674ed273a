import Foundation
import HTTPTypes
import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillMessages
import WaybillNotifications

/// A request to prepare a campaign.
struct CampaignRequest: Sendable {
    static let members: Set<String> = [
        "name", "client", "title", "subtitle", "body", "category", "level", "at", "local_at", "zone", "passed", "quiet",
        "expires_at", "select", "per_minute",
    ]
    static let others: Set<String> = ["select", "per_minute"]

    let campaign: Campaign

    /// Whose it is to be, if the body says so.
    static func client(_ body: BodyText) -> String? { body.value("client") }

    /// - Parameters:
    ///   - body: what somebody asks who may.
    ///   - rules: of the installation.
    ///   - client: whose it is.
    ///   - by: who asks.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``Problem`` 400 with the field and its limit.
    init(_ body: BodyText, rules: PostedRules, client: String, by: String, now: Int64) throws(Problem) {
        guard let name = body.value("name") else { throw Problem(.badRequest, "name is missing") }
        guard let text = body.value("body") else { throw Problem(.badRequest, "body is missing") }
        let audience = try Self.audience(body, client: client)
        var content = CampaignContent(body: text, selection: audience.selection)
        content.title = body.value("title")
        content.subtitle = body.value("subtitle")
        content.category = body.value("category")
        content.level = body.value("level")
        content.expiresAt = try Self.date(body, "expires_at")
        content.perMinute = audience.throttle?.perMinute
        campaign = Campaign(
            name: name,
            client: client,
            content: content,
            timing: try Self.timing(body),
            createdAt: now,
            createdBy: by
        )
        do throws(PostedRefusal) {
            try rules.examineDraft(campaign, now: now)
        } catch {
            throw Problem(.badRequest, "\(error)")
        }
    }

    /// What `select` and `per_minute` mean: an audience message has the same members.
    private static func audience(_ body: BodyText, client: String) throws(Problem) -> AudienceMessage {
        guard let select = body.json("select") else { throw Problem(.badRequest, "select is missing") }
        var json = JSONWriter()
        json.beginObject()
        json.member("audience_id", "-")
        json.member("client", client)
        if let rate = body.json("per_minute") { json.member("per_minute", json: rate) }
        json.member("content", json: Array(#"{"message":"-"}"#.utf8))
        json.member("select", json: select)
        json.endObject()
        do throws(BodyRejection) {
            return try AudienceMessage(decoding: json.bytes)
        } catch {
            throw Problem(.badRequest, error.detail)
        }
    }

    private static func timing(_ body: BodyText) throws(Problem) -> CampaignTiming {
        var timing = CampaignTiming(start: .now, zone: body.value("zone") ?? "UTC")
        guard TimeZone(identifier: timing.zone) != nil else {
            throw Problem(.badRequest, "zone is no time zone; a name such as Europe/Vienna is")
        }
        if let text = body.value("passed") {
            guard let passed = CampaignTiming.Passed(rawValue: text) else {
                throw Problem(.badRequest, "passed is skip or now")
            }
            timing.passed = passed
        }
        if let text = body.value("quiet") {
            guard let hours = QuietHours(text) else { throw Problem(.badRequest, "quiet is hours such as 22:00-08:00") }
            timing.quiet = hours
        }
        if let at = try date(body, "at") { timing.start = .at(at) }
        if let text = body.value("local_at") {
            guard case .now = timing.start else { throw Problem(.badRequest, "at and local_at do not go together") }
            guard let local = LocalTime(text) else {
                throw Problem(.badRequest, "local_at is a time without a zone, such as 2026-12-24T18:00")
            }
            timing.start = .local(local)
        }
        return timing
    }

    private static func date(_ body: BodyText, _ name: String) throws(Problem) -> Int64? {
        guard let text = body.value(name) else { return nil }
        guard let time = TimeText.date(text) else {
            throw Problem(.badRequest, "\(name) is a date such as 2026-12-24T16:00:00Z")
        }
        return time
    }
}
