/// What a service's key is for.
package enum ServiceKeyScope: String, CaseIterable, Sendable {
    /// Sending notifications, but for critical ones.
    case notify
    /// Sending critical ones, to those who have asked for them.
    case notifyCritical = "notify:critical"
    /// Reading the service's notifications and what became of them.
    case read
}
