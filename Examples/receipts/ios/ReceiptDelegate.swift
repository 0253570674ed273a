import UserNotifications

/// In the app: says that somebody has opened a notification, swiped it away, or pressed the button that acknowledges it.
///
/// The category of the alert needs the action ``acknowledge``, and `.customDismissAction` to hear of what is swiped away:
///
///     UNNotificationCategory(identifier: "ALARM", actions: [ReceiptDelegate.acknowledge], intentIdentifiers: [],
///                            options: [.customDismissAction])
final class ReceiptDelegate: NSObject, UNUserNotificationCenterDelegate {
    static let acknowledge = UNNotificationAction(identifier: "ACKNOWLEDGE", title: "Got it", options: [])

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async {
        guard let receipts = Receipts(response.notification.request.content.userInfo) else { return }
        switch response.actionIdentifier {
        case Self.acknowledge.identifier: await receipts.say(.acknowledged)
        case UNNotificationDismissActionIdentifier: await receipts.say(.dismissed)
        default: await receipts.say(.opened)
        }
    }
}
