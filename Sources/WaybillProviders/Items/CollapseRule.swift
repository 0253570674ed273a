/// What a notification that names no collapse key of its own may replace on the screen.
package enum CollapseRule: String, CaseIterable, Sendable {
    /// A key of token and content: of two equal texts to one device the second replaces the first.
    case content
    /// A key of its id: a notification is replaced by its own repeat and by nothing else.
    case notification
    /// No key: a repeat shows a second time.
    case none
}
