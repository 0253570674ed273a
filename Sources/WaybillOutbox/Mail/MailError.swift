/// Why something cannot be a mail, or a part of one; never with the text in question.
package enum MailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No address that mail can go to.
    case address(String)
    /// A subject that cannot stand in one line of a header.
    case subject(String)
    /// A text that is empty, too long, or holds control characters.
    case text(String)
    /// A link that is no plain `https://` or `http://` URL.
    case link(String)
    /// A sender that is neither `address` nor `Name <address>`.
    case sender(String)

    package var description: String {
        switch self {
        case .address(let reason): "the mail address \(reason)"
        case .subject(let reason): "the subject \(reason)"
        case .text(let reason): "the mail's text \(reason)"
        case .link(let reason): "the mail's link \(reason)"
        case .sender(let reason): "the sender \(reason)"
        }
    }
}
