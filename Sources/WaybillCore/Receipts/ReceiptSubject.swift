/// What a device speaks of: a push, by the id that it was sent under.
///
/// Two notifications can have one id where producers give it; what they are about tells which of the two it is.
package struct ReceiptSubject: Hashable, Sendable {
    package var id: NotificationID
    /// What the push is about (``Notification/fingerprint``), where its producer gave the id; `nil` for a derived one.
    package var content: UInt64?

    package init(_ id: NotificationID, content: UInt64? = nil) {
        self.id = id
        self.content = content
    }

    /// Whether what was said of another is said of this one, too: an older capability does not tell what its push is about.
    package func includes(_ other: ReceiptSubject) -> Bool {
        id == other.id && (other.content == nil || other.content == content)
    }
}

extension Notification {
    /// What its device speaks of.
    package var receiptSubject: ReceiptSubject { ReceiptSubject(id, content: fingerprint) }
}
