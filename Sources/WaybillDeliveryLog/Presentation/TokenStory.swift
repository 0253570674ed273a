import WaybillEncoding

/// What became of the pushes to one device.
package struct TokenStory: Sendable {
    /// Newest first.
    package var notifications: [NotificationStory]
    /// Whether there are more than these.
    package var hasMore: Bool
    /// What the registry says of the token now.
    package var registry: [StoryStep]
    /// What keeps from being sent what is not final, or not recorded, at this moment; in words.
    package var now: [String]
    /// What to do, in words; never empty.
    package var next: [String]

    package init(
        notifications: [NotificationStory],
        hasMore: Bool,
        registry: [StoryStep],
        now: [String] = [],
        next: [String]
    ) {
        self.notifications = notifications
        self.hasMore = hasMore
        self.registry = registry
        self.now = now
        self.next = next
    }

    /// The story as an object.
    ///
    /// - Parameters:
    ///   - tokens: how device tokens are shown.
    ///   - access: what whoever reads it may ask for.
    /// - Returns: the object.
    package func json(tokens: DeliveryJSON.Tokens = .whole, access: AdviceRoute.Access = .all) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.append("notifications", notifications.map { $0.json(tokens: tokens) })
        json.name("has_more")
        json.element(hasMore)
        json.append("registry", registry.map(\.json))
        return json.finish(now: now, next: next, notifications, access: access)
    }
}
