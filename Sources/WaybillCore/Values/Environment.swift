/// Which of a provider's worlds a device token belongs to, where it has more than one.
package enum Environment: String, CaseIterable, Sendable {
    case production
    case sandbox
}
