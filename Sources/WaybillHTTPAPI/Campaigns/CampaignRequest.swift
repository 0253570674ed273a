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
        var checks = FieldChecks()
        let said = checks.read("name") { () throws(Problem) in try Self.required("name", body) }
        let text = checks.read("body") { () throws(Problem) in try Self.required("body", body) }
        let selected = checks.read("select") { () throws(Problem) in try Self.audience(body, client: client) }
        let end = checks.read("expires_at") { () throws(Problem) in try Self.date(body, "expires_at") }
        let timing = Self.timing(body, &checks)
        try checks.require()
        guard let name = said, let text, let audience = selected, let end else { throw checks.problem }
        var content = CampaignContent(body: text, selection: audience.selection)
        content.title = body.value("title")
        content.subtitle = body.value("subtitle")
        content.category = body.value("category")
        content.level = body.value("level")
        content.expiresAt = end
        content.perMinute = audience.throttle?.perMinute
        campaign = Campaign(
            name: name,
            client: client,
            content: content,
            timing: timing,
            createdAt: now,
            createdBy: by
        )
        do throws(PostedRefusal) {
            try rules.examineDraft(campaign, now: now)
        } catch {
            throw error.field.map { Problem.field($0, "\(error)") } ?? Problem(.badRequest, "\(error)")
        }
    }

    private static func required(_ name: String, _ body: BodyText) throws(Problem) -> String {
        guard let text = body.value(name) else { throw .field(name, "\(name) is missing") }
        return text
    }

    /// What `select` and `per_minute` mean: an audience message has the same members.
    private static func audience(_ body: BodyText, client: String) throws(Problem) -> AudienceMessage {
        guard let select = body.json("select") else { throw .field("select", "select is missing") }
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
            // The members that are somebody's own, by their paths: `select.app`, `per_minute`.
            let name = String(error.detail.prefix { $0 != ":" })
            let isOwn = name == "per_minute" || name == "select" || name.hasPrefix("select.")
            throw isOwn ? .field(name, error.detail) : Problem(.badRequest, error.detail)
        }
    }

    /// What it says of its time; what is wrong with that is noted.
    private static func timing(_ body: BodyText, _ checks: inout FieldChecks) -> CampaignTiming {
        var timing = CampaignTiming(start: .now, zone: body.value("zone") ?? "UTC")
        if TimeZone(identifier: timing.zone) == nil {
            checks.note(.field("zone", "zone is no time zone; a name such as Europe/Vienna is"))
        }
        if let text = body.value("passed") {
            if let passed = CampaignTiming.Passed(rawValue: text) {
                timing.passed = passed
            } else {
                checks.note(.field("passed", "passed is skip or now"))
            }
        }
        if let text = body.value("quiet") {
            timing.quiet = QuietHours(text)
            if timing.quiet == nil { checks.note(.field("quiet", "quiet is hours such as 22:00-08:00")) }
        }
        let at = checks.read("at") { () throws(Problem) in try date(body, "at") }
        if let time = at ?? nil { timing.start = .at(time) }
        if let text = body.value("local_at") {
            if body.value("at") != nil { checks.note(.field("local_at", "at and local_at do not go together")) }
            if let local = LocalTime(text) {
                timing.start = .local(local)
            } else {
                checks.note(.field("local_at", "local_at is a time without a zone, such as 2026-12-24T18:00"))
            }
        }
        return timing
    }

    private static func date(_ body: BodyText, _ name: String) throws(Problem) -> Int64? {
        guard let text = body.value(name) else { return nil }
        guard let time = TimeText.instant(text) else {
            let local = name == "at" ? "; a time on the devices' own clocks is local_at" : ""
            throw .field(name, "\(name) is a time with Z or an offset, such as 2026-12-24T16:00:00Z\(local)")
        }
        return time
    }
}
