import UserNotifications

/// The notification service extension: the system runs it for each visible alert with `mutable-content: 1`, for 30 seconds at most.
final class NotificationService: UNNotificationServiceExtension {
    private var deliver: ((UNNotificationContent) -> Void)?
    private var content = UNNotificationContent()

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        (deliver, content) = (contentHandler, request.content)
        guard let receipts = Receipts(request.content.userInfo) else { return finish() }
        Task {
            // A campaign reaches all phones within seconds; an alarm is shown at once.
            if content.interruptionLevel != .critical {
                try? await Task.sleep(nanoseconds: .random(in: 0...10_000_000_000))
            }
            await receipts.say(.received)
            finish()
        }
        if content.interruptionLevel == .critical { finish() }
    }

    /// The system's last word: it shows the alert now, with or without us.
    override func serviceExtensionTimeWillExpire() { finish() }

    private func finish() {
        deliver?(content)
        deliver = nil
    }
}
