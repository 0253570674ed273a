import WaybillEncoding

/// What became of the notifications that have one apns-id.
package struct NotificationStories: Hashable, Sendable {
    /// Newest first; mostly one, none if nothing is recorded.
    package var notifications: [NotificationStory]
    /// Where nothing is recorded, and it is the id of what a service or a person put there to be sent: how its deliveries, which
    /// have ids of their own, have ended.
    package var batch: BatchStory?
    /// What keeps from being sent what is not final, or not recorded, at this moment; in words.
    package var now: [String]
    /// What to do, in words; never empty.
    package var next: [String]

    package init(
        notifications: [NotificationStory],
        batch: BatchStory? = nil,
        now: [String] = [],
        next: [String]
    ) {
        self.notifications = notifications
        self.batch = batch
        self.now = now
        self.next = next
    }

    /// The stories as an object.
    ///
    /// - Parameters:
    ///   - tokens: how device tokens are shown.
    ///   - access: what whoever reads it may ask for.
    /// - Returns: the object.
    package func json(tokens: DeliveryJSON.Tokens = .whole, access: AdviceRoute.Access = .all) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.append("notifications", notifications.map { $0.json(tokens: tokens) })
        if let batch { json.member("batch", json: batch.json(access: access).utf8) }
        return json.finish(now: now, next: next, notifications, access: access)
    }
}

extension JSONWriter {
    /// Ends the object of some stories: what is so now, what to do next, and where that is done.
    ///
    /// - Returns: the whole text.
    mutating func finish(
        now: [String],
        next: [String],
        _ notifications: [NotificationStory],
        access: AdviceRoute.Access
    ) -> String {
        if !now.isEmpty { member("now", now) }
        member("next", next)
        appendRoutes(in: now + next + notifications.flatMap(\.next), access: access)
        endObject()
        return String(decoding: bytes, as: UTF8.self)
    }
}
