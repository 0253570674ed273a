import WaybillAccounts
import WaybillEncoding
import WaybillMessages
package import WaybillMongo

/// One content for many devices, prepared and then started: what becomes of it is in the notifications that it is made of.
package struct Campaign: Sendable {
    package enum State: String, CaseIterable, Sendable {
        case draft
        /// Its parts are being put into the store; whoever starts it again goes on.
        case starting
        case started
        case cancelled
    }

    /// The `_id` of its document: `CLIENT/NAME`; the name alone of one that an earlier release has prepared.
    package let id: String
    /// Its client's own name for it, and the batch that its parts are of.
    package let name: String
    package var state: State
    /// The fields of its notifications.
    package var content: BSONDocument
    package var timing: CampaignTiming
    /// From its start on.
    package var parts: [CampaignPart]
    /// The number in front of its first part's, drawn when it is started: of campaigns of several clients with one name, each has
    /// parts of its own, and nobody can take their names before.
    var numbersAfter: Int64 = 0
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var startedAt: Int64?
    package var createdBy: String
    /// Who has paused it, and when; `nil`: it goes on.
    package var held: CampaignOrder?
    /// Who has cancelled it, and when; `nil` also where an earlier release has cancelled it.
    package var cancelled: CampaignOrder?
    /// Nothing more of it is handed over until it is resumed.
    package var isHeld: Bool { held != nil }
    /// What its notifications say, so that nobody takes another one for them; random.
    var mark: String?

    /// - Parameters:
    ///   - name: its client's own name for it.
    ///   - client: whose it is.
    ///   - content: what it says, and to whom.
    ///   - timing: when.
    ///   - createdAt: milliseconds since 1970.
    ///   - createdBy: who prepares it.
    package init(
        name: String,
        client: String,
        content: CampaignContent,
        timing: CampaignTiming,
        createdAt: Int64,
        createdBy: String
    ) {
        var content = content
        content.client = client
        self.init(
            id: "\(client)/\(name)",
            name: name,
            content: content.document,
            timing: timing,
            createdAt: createdAt,
            createdBy: createdBy
        )
        mark = "\(id)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    init(
        id: String,
        name: String,
        content: BSONDocument,
        timing: CampaignTiming,
        createdAt: Int64,
        createdBy: String
    ) {
        self.id = id
        self.name = name
        self.content = content
        self.timing = timing
        self.createdAt = createdAt
        self.createdBy = createdBy
        state = .draft
        parts = []
    }

    /// What it would be as one notification, for whoever examines it.
    ///
    /// - Parameter client: whose it is where it does not say so.
    /// - Returns: one for all of its devices, whatever the time.
    /// - Throws: what is wrong with it.
    package func posted(client: String) throws(PostedRefusal) -> PostedNotification {
        if state == .draft, let problem = CampaignName.problem(name) { throw PostedRefusal("name", problem) }
        let part = CampaignPart(at: latestStart, devices: 0)
        let posted = try PostedNotification(notification(name, part), client: client)
        if case .filter = posted.message.selection.kind {
            try refuseEndBeforeStart(in: posted.message.selection.kind.zones)
            return posted
        }
        guard !effectiveTiming.isLocal else {
            throw PostedRefusal("local_at and quiet", "go with a filter, not with users or devices")
        }
        return posted
    }

    /// When its last devices are told.
    ///
    /// What would come after its end is left out, where devices are told at different moments.
    private var latestStart: Int64? {
        guard timing.isLocalTime, let latest = timing.latestStart, let end else { return timing.latestStart }
        return min(latest, end - 1)
    }

    /// Where devices are told at different moments, the end comes after the first of them.
    ///
    /// - Parameter zones: of its devices; empty: anywhere on earth.
    /// - Throws: that it does not.
    private func refuseEndBeforeStart(in zones: [String]) throws(PostedRefusal) {
        guard let end, let start = timing.earliestLocalStart(in: zones), end <= start else { return }
        throw PostedRefusal(
            "expires_at",
            "is not after local_at, which the first clocks \(zones.isEmpty ? "on earth" : "of its time zones") show at "
                + TimeText.text(milliseconds: start)
        )
    }

    /// Whether quiet hours do not hold it: what is as urgent as that passes them, as it passes those that people have set for
    /// themselves.
    package var passesQuietHours: Bool {
        text("level").flatMap(NotificationLevel.init(name:))?.passesQuietHours == true
    }

    /// When its devices are told: its timing, without the quiet hours that it passes.
    package var effectiveTiming: CampaignTiming {
        var timing = timing
        if passesQuietHours { timing.quiet = nil }
        return timing
    }

    /// The names of its parts, each the `_id` of a notification: as batches they are parts of its own name.
    package func partID(_ number: Int) -> String { "\(name).\(numbersAfter + Int64(number) + 1)" }

    /// A number in front of which no other campaign's parts are likely to be: a campaign has fewer than a thousand of them.
    static func drawnNumber() -> Int64 { Int64.random(in: 1...999_999) * 1000 }

    /// The notification that a part is.
    func notification(_ id: String, _ part: CampaignPart) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", string: id)
            for (field, value) in content.fields where field != "filter" {
                _ = writer.append(name: field, value: value)
            }
            if let at = part.at { writer.append("at", date: at) }
            // All parts together keep to one rate.
            if content["per_minute"] != nil { writer.append("throttle_key", string: name) }
            if let mark { writer.append("x-campaign", string: mark) }
            let filter = content["filter"]?.document
            let others = part.otherThan ?? []
            guard filter != nil || !part.zones.isEmpty || !others.isEmpty else { return }
            writer.append("filter") { writer in
                for (name, value) in filter?.fields ?? [] where part.zones.isEmpty || name != "time_zone" {
                    _ = writer.append(name: name, value: value)
                }
                if !part.zones.isEmpty {
                    writer.append("time_zone", array: { for zone in part.zones { $0.append(string: zone) } })
                }
                if !others.isEmpty {
                    writer.append("not_time_zone", array: { for zone in others { $0.append(string: zone) } })
                }
            }
        }
    }

    /// A notification for some devices by name, to look at it before the campaign starts.
    func test(_ suffix: String, users: [String], devices: [String]) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", string: "\(name).test-\(suffix)")
            for (name, value) in content.fields
            where !["filter", "users", "devices", "expires_at", "per_minute"].contains(name) {
                _ = writer.append(name: name, value: value)
            }
            if !users.isEmpty { writer.append("users", array: { for user in users { $0.append(string: user) } }) }
            if !devices.isEmpty {
                writer.append("devices", array: { for device in devices { $0.append(string: device) } })
            }
        }
    }

    /// Whose it is; `nil` where it does not say so, as one of an earlier release may.
    package var client: String? { text("client") }

    /// Whether another one would tell the same devices the same at the same time.
    package func isSame(as other: Self) -> Bool { content == other.content && timing == other.timing }

    /// Which devices it means, as an audience message says it.
    package var selectText: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for field in ["app", "users", "devices", "filter"] {
            guard let value = content[field] else { continue }
            json.name(field)
            // What stands here was read from such a message.
            try? BSONText.append(value, name: field, hasSeconds: true, to: &json)
        }
        json.endObject()
        return json.bytes
    }

    /// A text of its content, by the name that it has in a notification's document.
    package func text(_ name: StaticString) -> String? { content["\(name)"]?.string }

    /// How many are handed over a minute at most.
    package var perMinute: Int64? { content["per_minute"]?.int }

    /// When nothing of it is sent any more, in milliseconds since 1970.
    package var end: Int64? { content["expires_at"]?.date }
}
