/// Part of what somebody was told, the latest first.
package struct ReceiptPage: Sendable {
    /// Which of it.
    package struct Query: Hashable, Sendable {
        /// The account's id.
        package var account: String
        /// What this service has said; `nil`: all services.
        package var service: String?
        /// What they have not read.
        package var unreadOnly: Bool

        package init(account: String, service: String? = nil, unreadOnly: Bool = false) {
            self.account = account
            self.service = service
            self.unreadOnly = unreadOnly
        }
    }

    /// Each with what it is to them.
    package let entries: [(notification: NotificationRecord, receipt: Receipt)]
    /// Where the next page begins; `nil`: this is the last.
    package let next: NotificationPlace?
}

/// Where a page of notifications ends: behind this one.
package struct NotificationPlace: Hashable, Sendable {
    /// In milliseconds since 1970.
    let at: Int64
    let notification: String

    init(at: Int64, notification: String) {
        self.at = at
        self.notification = notification
    }

    /// As ``text`` has it; `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]) else { return nil }
        self.init(at: at, notification: String(parts[1]))
    }

    package var text: String { "\(at) \(notification)" }
}
