/// A mail that somebody has taken out of the outbox to send it.
package struct ClaimedMail: Sendable {
    package let id: String
    /// `nil` if what is stored is no mail.
    package let mail: Mail?
    /// When it was put in, in milliseconds since 1970.
    package let createdAt: Int64
    /// When it expires, in milliseconds since 1970; `nil`: never.
    package let notAfter: Int64?
    /// Which attempt this is, from 1; those of who was killed count.
    package let attempt: Int
    let lease: String
}
