/// Whom a message is for: exactly one of these (Google, `projects.messages`).
public enum FCMTarget: Hashable, Sendable {
    /// A registration token, as the app got it: opaque, 1 to 4,096 printable characters, whose case counts.
    case token(String)
    /// A Firebase installation id.
    case installation(String)
    /// A topic's name, without `/topics/`: letters, digits and `-_.~%`.
    case topic(String)
    /// Several topics: `'a' in topics && ('b' in topics || 'c' in topics)`, at most five.
    case condition(String)

    /// The member's name in the message, and its value.
    var member: (name: StaticString, value: String) {
        switch self {
        case .token(let value): ("token", value)
        case .installation(let value): ("fid", value)
        case .topic(let value): ("topic", value)
        case .condition(let value): ("condition", value)
        }
    }
}

extension FCMTarget: CustomStringConvertible, CustomReflectable {
    /// The kind, and a topic or condition; never a token, which is personal data.
    public var description: String {
        switch self {
        case .token: "a registration token"
        case .installation: "an installation id"
        case .topic(let name): "topic \(name)"
        case .condition(let text): "condition \(text)"
        }
    }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["target": description]) }
}
