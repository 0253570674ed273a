import WaybillAccounts
import WaybillCore
import WaybillEncoding
package import WaybillMessages
package import WaybillMongo

/// What somebody has put into the collection `notifications` to be sent, as the audience message that it becomes.
///
/// The contract is `schemas/notification.schema.json`. The same document makes the same bytes.
package struct PostedNotification: Sendable {
    package let id: BSONIdentifier
    package let message: AudienceMessage
    /// Of its message.
    package let body: [UInt8]
    /// Of a service's: how many of its people are told, and how many are not.
    let people: (told: Int, suppressed: Int)?

    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - client: whose notifications these are where it does not say so.
    ///   - voice: of the service that it names.
    /// - Throws: the first thing that is wrong with it.
    package init(_ document: BSONDocument, client: String, voice: ServiceVoice? = nil) throws(PostedRefusal) {
        if let field = document.brokenText { throw PostedRefusal(field, "is not UTF-8") }
        if let field = document.repeatedName { throw PostedRefusal(field, "appears twice") }
        let reader = PostedReader(document)
        guard let id = document.identifier("_id"), let name = id.text else {
            throw PostedRefusal("_id", "must be an ObjectId, a text, or a whole number")
        }
        try reader.refuseUnknown(in: voice)
        try reader.refuseDoubtfulFlags()
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("audience_id", name)
        // Two documents whose ids are one name are two audiences, also where they say the same.
        json.member("x-document", id.kind)
        let named = try reader.text("client")
        json.member("client", voice?.route.client ?? named ?? client)
        voice?.appendLanes(to: &json)
        let at = try reader.date("at")
        json.member("at", at.map { max(0, ($0 + 999) / 1000) })
        for field in ["per_minute", "throttle_key"] {
            guard let value = document[field], value != .null else { continue }
            json.name(field)
            try BSONText.append(value, name: field, to: &json)
        }
        json.beginObject("content")
        if let voice {
            json.member("service_id", voice.service)
            voice.append(try reader.said(), id: name, to: &json)
        } else {
            try reader.append(to: &json)
        }
        if let end = try reader.date("expires_at") {
            guard end > at ?? 0 else { throw PostedRefusal("expires_at", "is not after at") }
            json.member("expiration", end / 1000)
        }
        json.endObject()
        if let voice {
            json.member("select", json: voice.selectText)
        } else {
            json.beginObject("select")
            for field in ["app", "users", "devices", "filter"] {
                guard let value = document[field] else { continue }
                json.name(field)
                try BSONText.append(value, name: field, hasSeconds: true, to: &json)
            }
            json.endObject()
        }
        json.endObject()
        self.id = id
        body = json.bytes
        people = voice.map { ($0.accounts.count, $0.silenced) }
        do throws(BodyRejection) {
            message = try AudienceMessage(decoding: json.bytes)
        } catch {
            throw PostedRefusal(error)
        }
    }
}

extension PostedNotification {
    /// When its audience begins: what lies in the past begins now.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the same.
    package func begins(now: Int64) -> Int64 { max(message.at ?? now, now) }

    /// The level that a document names; `nil` for none.
    static func level(_ document: BSONDocument) throws(PostedRefusal) -> NotificationLevel? {
        try PostedReader(document).level()
    }

    /// Writes which devices a notification means, as its document has it.
    package static func append(_ selection: AudienceSelection, to writer: BSONWriter) {
        func texts(_ name: StaticString, _ texts: [String], to writer: BSONWriter) {
            guard !texts.isEmpty else { return }
            writer.append(name, array: { for text in texts { $0.append(string: text) } })
        }
        if selection.apps.count == 1 {
            writer.append("app", string: selection.apps[0])
        } else {
            texts("app", selection.apps, to: writer)
        }
        switch selection.kind {
        case .users(let users): texts("users", users, to: writer)
        case .devices(let devices): texts("devices", devices, to: writer)
        case .filter(let filter):
            guard !filter.isEmpty else { return }
            writer.append("filter") { writer in
                texts("tags", filter.tags, to: writer)
                texts("locale", filter.locales, to: writer)
                texts("time_zone", filter.timeZones, to: writer)
                texts("not_time_zone", filter.otherTimeZones, to: writer)
                if filter.versionFrom != nil || filter.versionBelow != nil {
                    writer.append("app_version") { range in
                        if let from = filter.versionFrom { range.append("from", string: text(from)) }
                        if let below = filter.versionBelow { range.append("below", string: text(below)) }
                    }
                }
                if filter.seenSince != nil || filter.seenBefore != nil {
                    writer.append("seen") { range in
                        if let since = filter.seenSince { range.append("since", date: since) }
                        if let before = filter.seenBefore { range.append("before", date: before) }
                    }
                }
            }
        }
    }

    private static func text(_ version: [Int]) -> String { version.map(String.init).joined(separator: ".") }
}

/// Reads the fields of a posted notification.
private struct PostedReader {
    /// What whoever inserts may write; `sent` is false then, or 0.
    private static let names: Set<String> = [
        "_id", "app", "client", "title", "subtitle", "body", "category", "data", "level", "at", "expires_at", "users",
        "devices", "filter", "per_minute", "throttle_key", "sent", "state", "cancel", "held", "service",
    ]
    /// What Waybill has written into one that waits for its time.
    private static let ofWaiting: Set<String> = ["audience", "begins", "claimed_by", "due", "undecided"]
    /// What a service's notification may not say: its people are told, by the services' own route.
    private static let others = ["app", "client", "users", "devices", "filter", "category", "subtitle"]

    private let document: BSONDocument

    init(_ document: BSONDocument) {
        self.document = document
    }

    func refuseUnknown(in voice: ServiceVoice?) throws(PostedRefusal) {
        if let value = document["service"], value != .null {
            guard voice != nil else { throw PostedRefusal("service", "is not taken here") }
            for name in Self.others where document[name] != nil {
                throw PostedRefusal(name, "does not go with service, whose people are told")
            }
        }
        let isWaiting = PostedStore.isUndecided(document)
        if !isWaiting, let refusal = PostedCopy.refusal(document) { throw refusal }
        for (name, value) in document.fields where !Self.names.contains(name) && !name.hasPrefix("x-") {
            if isWaiting, Self.ofWaiting.contains(name) { continue }
            // All orders about it were lifted.
            if name == "\(NotificationLayout.Field.cancelledBy)", value.elements?.isEmpty == true { continue }
            let known = Self.names.subtracting(["_id", "state"]).sorted().joined(separator: ", ")
            throw PostedRefusal(String(name.prefix(64)), "is not known; known: \(known), and names with x-")
        }
    }

    /// Nobody is pushed to whom a document was to keep from it, in whatever words.
    func refuseDoubtfulFlags() throws(PostedRefusal) {
        for name in ["cancel", "held"] {
            guard let value = document[name], value != .null, value.bool == nil else { continue }
            throw PostedRefusal(name, "must be true or false")
        }
        if let sent = document["sent"], sent != .null, sent.bool == nil, sent.int == nil {
            throw PostedRefusal("sent", "must be true or false, or a whole number")
        }
    }

    func text(_ name: String) throws(PostedRefusal) -> String? {
        guard let value = document[name], value != .null else { return nil }
        guard let text = value.string, !text.isEmpty else { throw PostedRefusal(name, "must be a text") }
        return text
    }

    func date(_ name: String) throws(PostedRefusal) -> Int64? {
        guard let value = document[name], value != .null else { return nil }
        guard let time = value.date else { throw PostedRefusal(name, "must be a date") }
        return time
    }

    /// Writes a content that every provider's rules make a payload of.
    func append(to json: inout JSONWriter) throws(PostedRefusal) {
        guard let body = try text("body") else { throw PostedRefusal("body", "is missing") }
        let level = try level()
        json.member("message", body)
        json.member("title", try text("title"))
        json.member("subtitle", try text("subtitle"))
        json.member("category", try text("category"))
        if let level {
            LevelPresentation(level).appendFields(to: &json)
        } else {
            json.member("sound", "default")
        }
        guard let data = try data(), !data.fields.isEmpty else { return }
        json.beginObject("data")
        for (key, value) in data.fields {
            guard key != "aps", !key.hasPrefix("wb_") else {
                throw PostedRefusal("data.\(key.prefix(64))", "is not yours to set")
            }
            json.name(key)
            try BSONText.append(value, name: "data.\(key)", to: &json)
        }
        json.endObject()
    }

    /// What a service says by it.
    func said() throws(PostedRefusal) -> ServiceNotification {
        guard let body = try text("body") else { throw PostedRefusal("body", "is missing") }
        var content = ServiceNotification(level: try level() ?? .info, body: body)
        content.title = try text("title")
        if let data = try data() {
            var json = JSONWriter()
            try BSONText.append(.document(data), name: "data", to: &json)
            content.data = json.bytes
        }
        return content
    }

    private func data() throws(PostedRefusal) -> BSONDocument? {
        guard let data = document["data"], data != .null else { return nil }
        guard let members = data.document else { throw PostedRefusal("data", "must be a document") }
        return members
    }

    func level() throws(PostedRefusal) -> NotificationLevel? {
        guard let name = try text("level") else { return nil }
        guard let level = NotificationLevel.ordinary.first(where: { $0.name == name }) else {
            throw PostedRefusal("level", "must be info, warning or error")
        }
        return level
    }
}
