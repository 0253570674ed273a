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

    /// Whose it is to be.
    ///
    /// - Parameters:
    ///   - body: what somebody asks who may.
    ///   - checks: note what is refused.
    ///   - choose: the client, by what the body says.
    /// - Returns: `nil` where it is refused.
    static func client(
        _ body: BodyText.Members,
        _ checks: inout FieldChecks,
        _ choose: (String?) throws(Problem) -> String
    ) -> String? {
        checks.read("client") { () throws(Problem) in try choose(body.value("client")) }
    }

    /// - Parameters:
    ///   - body: what somebody asks who may.
    ///   - checks: note each field that is refused, with its limit; `nil` then.
    ///   - rules: of the installation.
    ///   - client: whose it is.
    ///   - by: who asks.
    ///   - now: milliseconds since 1970.
    init?(
        _ body: BodyText.Members,
        _ checks: inout FieldChecks,
        rules: PostedRules,
        client: String,
        by: String,
        now: Int64
    ) {
        let name = checks.read("name") { () throws(Problem) in try Self.required("name", body) }
        let text = checks.read("body") { () throws(Problem) in try Self.required("body", body) }
        let selection = checks.read("select") { () throws(Problem) in try Self.selection(body, client: client) }
        let rate = checks.read("per_minute") { () throws(Problem) in try Self.rate(body, client: client) }
        let end = checks.read("expires_at") { () throws(Problem) in try Self.date(body, "expires_at") }
        let timing = Self.timing(body, &checks)
        // What is refused already has a place holder, so that the rest is examined, too.
        var draft = CampaignDraft(
            name: name ?? CampaignDraft.placeholder,
            content: CampaignContent(
                body: text ?? CampaignDraft.placeholder,
                selection: selection ?? CampaignDraft.nobody
            ),
            timing: timing,
            isSelected: selection != nil
        )
        draft.content.title = body.value("title")
        draft.content.subtitle = body.value("subtitle")
        draft.content.category = body.value("category")
        draft.content.level = body.value("level")
        draft.content.expiresAt = end ?? nil
        draft.content.perMinute = rate ?? nil
        campaign = draft.campaign(of: client, by: by, now: now)
        draft.examine(by: rules, of: client, now: now, &checks)
        guard checks.areMet else { return nil }
    }

    private static func required(_ name: String, _ body: BodyText.Members) throws(Problem) -> String {
        guard let text = body.value(name) else { throw .field(name, "\(name) is missing") }
        return text
    }

    private static func selection(_ body: BodyText.Members, client: String) throws(Problem) -> AudienceSelection {
        guard let select = body.json("select") else { throw .field("select", "select is missing") }
        return try audience(select, rate: nil, client: client).selection
    }

    private static func rate(_ body: BodyText.Members, client: String) throws(Problem) -> Int? {
        guard let rate = body.json("per_minute") else { return nil }
        return try audience(Array(#"{"app":"-"}"#.utf8), rate: rate, client: client).throttle?.perMinute
    }

    /// What `select` and `per_minute` mean: an audience message has the same members.
    private static func audience(_ select: [UInt8], rate: [UInt8]?, client: String) throws(Problem) -> AudienceMessage {
        var json = JSONWriter()
        json.beginObject()
        json.member("audience_id", "-")
        json.member("client", client)
        if let rate { json.member("per_minute", json: rate) }
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
    private static func timing(_ body: BodyText.Members, _ checks: inout FieldChecks) -> CampaignTiming {
        var timing = CampaignTiming(start: .now)
        if let zone = body.value("zone") {
            if TimeZone(identifier: zone) == nil {
                checks.note(.field("zone", "zone is no time zone; a name such as Europe/Vienna is"))
            } else {
                timing.zone = zone
            }
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
                checks.note(.field("local_at", "local_at must be a time without a zone, such as 2026-12-24T18:00"))
            }
        }
        return timing
    }

    private static func date(_ body: BodyText.Members, _ name: String) throws(Problem) -> Int64? {
        guard let text = body.value(name) else { return nil }
        guard let time = TimeText.instant(text) else {
            let local = name == "at" ? "; a time on the devices' own clocks is local_at" : ""
            throw .field(name, "\(name) must be a time with Z or an offset, such as 2026-12-24T16:00:00Z\(local)")
        }
        return time
    }
}
