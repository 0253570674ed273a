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

    package let id: String
    package var state: State
    /// The fields of its notifications.
    package var content: BSONDocument
    package var timing: CampaignTiming
    /// From its start on.
    package var parts: [CampaignPart]
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var startedAt: Int64?
    package var createdBy: String
    /// Nothing more of it is handed over until it is resumed.
    package var isHeld = false
    /// What its notifications say, so that nobody takes another one for them; random.
    var mark: String?

    /// How long a name may be: those of its parts are longer.
    package static let nameBytes = 200

    package init(id: String, content: CampaignContent, timing: CampaignTiming, createdAt: Int64, createdBy: String) {
        self.init(
            id: id,
            content: content.document,
            timing: timing,
            createdAt: createdAt,
            createdBy: createdBy
        )
        mark = "\(id)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    init(
        id: String,
        content: BSONDocument,
        timing: CampaignTiming,
        createdAt: Int64,
        createdBy: String
    ) {
        self.id = id
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
        guard (1...Self.nameBytes).contains(id.utf8.count) else {
            throw PostedRefusal("name", "must have 1 to \(Self.nameBytes) bytes")
        }
        let part = CampaignPart(at: timing.latestStart, devices: 0)
        let posted = try PostedNotification(notification(id, part), client: client)
        if case .filter = posted.message.selection.kind { return posted }
        guard !timing.isLocal else {
            throw PostedRefusal("local_at and quiet", "go with a filter, not with users or devices")
        }
        return posted
    }

    /// The names of its parts, each the `_id` of a notification: as batches they are parts of its own name.
    func partID(_ number: Int) -> String { "\(id).\(number + 1)" }

    /// The notification that a part is.
    func notification(_ id: String, _ part: CampaignPart) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", string: id)
            for (name, value) in content.fields where name != "filter" { _ = writer.append(name: name, value: value) }
            if let at = part.at { writer.append("at", date: at) }
            // All parts together keep to one rate.
            if content["per_minute"] != nil { writer.append("throttle_key", string: self.id) }
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
            writer.append("_id", string: "\(id).test-\(suffix)")
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
