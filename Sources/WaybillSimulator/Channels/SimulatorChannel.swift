/// A broadcast channel of a Live Activity.
package struct SimulatorChannel: Hashable, Sendable {
    /// 16 bytes in base64.
    package let id: String
    /// The app that it belongs to.
    package let bundleID: String
    /// Whether the newest broadcast is kept for devices that are not reachable (`message-storage-policy` 1).
    package let storesMessages: Bool

    package init(id: String, bundleID: String, storesMessages: Bool) {
        self.id = id
        self.bundleID = bundleID
        self.storesMessages = storesMessages
    }
}
