package import WaybillMessages

extension AudienceSelection {
    /// Whether somebody means an account of the front door, or a device by the id that the front door makes of its token.
    package var namesAccounts: Bool {
        switch kind {
        case .users(let users): users.contains { Self.isName($0, prefix: "acc_", length: 16) }
        case .devices(let devices): devices.contains { Self.isName($0, prefix: "token-", length: 32) }
        case .filter: false
        }
    }

    private static func isName(_ text: String, prefix: String, length: Int) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + length
    }
}
