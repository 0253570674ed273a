/// What became of attempts to send a mail.
package struct MailCounts: Hashable, Sendable {
    package var sent = 0
    /// Not sent, and tried again later.
    package var postponed = 0
    /// Not sent, and not tried again.
    package var givenUp = 0

    package init() {}
}
