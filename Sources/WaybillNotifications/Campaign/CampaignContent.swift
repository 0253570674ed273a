package import WaybillMessages
import WaybillMongo

/// What a campaign says, and to whom.
package struct CampaignContent: Hashable, Sendable {
    /// Whose it is; `nil`: whose notifications in the store are that do not say so.
    package var client: String?
    package var title: String?
    package var subtitle: String?
    package var body: String
    package var category: String?
    /// `info`, `warning` or `error`.
    package var level: String?
    /// When nothing of it is sent any more, in milliseconds since 1970.
    package var expiresAt: Int64?
    /// How many of all its notifications are handed over a minute at most; `nil`: as fast as they are taken.
    package var perMinute: Int?
    package var selection: AudienceSelection

    package init(body: String, selection: AudienceSelection) {
        self.body = body
        self.selection = selection
    }

    /// As the documents of its notifications have it.
    var document: BSONDocument {
        BSONDocument { writer in
            for (name, text) in [
                ("client", client), ("title", title), ("subtitle", subtitle), ("body", body), ("category", category),
                ("level", level),
            ] {
                if let text { writer.append(name: name, string: text) }
            }
            if let perMinute { writer.append("per_minute", int: perMinute) }
            if let expiresAt { writer.append("expires_at", date: expiresAt) }
            PostedNotification.append(selection, to: writer)
        }
    }
}
