/// The `apns-collapse-id` of a notification that names none: what it may replace on the screen.
///
/// Only push type `alert` gets one; APNs makes nothing of it for the others.
package enum CollapseRule: String, CaseIterable, Sendable {
    /// A digest of token and content: of two equal texts to one device the second replaces the first.
    case content
    /// A digest of the apns-id: a notification is replaced by its own repeat and by nothing else.
    case notification
    /// No header: a repeat shows a second time.
    case none
}
