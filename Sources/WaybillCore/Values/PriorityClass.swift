/// How urgent a notification is; the raw value is the number that messages and records have for it.
package enum PriorityClass: Int, CaseIterable, Sendable {
    /// At once.
    case high = 10
    /// When the device's power allows.
    case normal = 5
    /// Without ever waking the device.
    case low = 1
}
