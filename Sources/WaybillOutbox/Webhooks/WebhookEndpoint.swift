/// Where a client, or the people of a service, want to hear what became of their notifications.
///
/// Times are milliseconds since 1970.
package struct WebhookEndpoint: Hashable, Sendable {
    /// `we_` and sixteen hexadecimal digits.
    package let id: String
    /// Whose events come.
    package let owner: WebhookOwner
    package let url: String
    /// The words of ``WebhookEventType`` that it wants; empty for all.
    package let events: [String]
    package let isActive: Bool
    /// Since when it is active, by the store's clock.
    package let activeSince: Int64
    /// Why it is disabled.
    package let reason: String?
    /// Whether it was Waybill that has disabled it, and no person.
    package let isGivenUp: Bool
    package let createdAt: Int64
    package let createdBy: String
    package let lastSuccess: Int64?
    /// Since when nothing has succeeded though something was tried.
    package let failingSince: Int64?
    /// Until when it wants to be left alone.
    package let restUntil: Int64?

    /// Whether an event is for it.
    package func wants(_ type: WebhookEventType) -> Bool {
        events.isEmpty || type == .test || events.contains(type.rawValue)
    }
}
