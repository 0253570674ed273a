// What the examples use of Apple's framework, so that they can be type-checked where it is not: signatures alone.
@_exported import Foundation

open class UNNotificationContent: @unchecked Sendable {
    public init() {}
    public var userInfo: [AnyHashable: Any] { [:] }
    public var interruptionLevel: UNNotificationInterruptionLevel { .active }
}

public enum UNNotificationInterruptionLevel: Sendable { case passive, active, timeSensitive, critical }

open class UNNotificationRequest { public var content: UNNotificationContent { UNNotificationContent() } }

open class UNNotificationServiceExtension {
    public init() {}
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

open class UNNotificationAction: @unchecked Sendable {
    public let identifier: String
    public init(identifier: String, title: String, options: UNNotificationActionOptions) { self.identifier = identifier }
}

open class UNNotification: @unchecked Sendable { public var request: UNNotificationRequest { UNNotificationRequest() } }

open class UNNotificationResponse: @unchecked Sendable {
    public var notification: UNNotification { UNNotification() }
    public var actionIdentifier: String { "" }
}

open class UNUserNotificationCenter: @unchecked Sendable {}

public protocol UNUserNotificationCenterDelegate {
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async
}

public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? { nil }
}

extension Data.WritingOptions {
    public static var completeFileProtectionUntilFirstUserAuthentication: Data.WritingOptions { [] }
}
