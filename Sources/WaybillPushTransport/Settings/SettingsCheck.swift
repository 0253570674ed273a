/// Checks of what callers give: every value ends in a header or a socket call.
extension Endpoint {
    /// Whether a text can be a host: letters, digits, and the punctuation of names and IPv6 literals.
    package static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

extension ProxySettings {
    /// What is wrong with the values, for a person; `nil` when nothing is.
    package var problem: String? {
        guard Endpoint.isHost(host) else { return "the proxy's host is no host name and no address" }
        guard port != 0 else { return "the proxy's port is 0" }
        guard let user else { return password == nil ? nil : "the proxy's password has no user" }
        // RFC 7617 §2: the first colon ends the user, and neither part holds control characters.
        guard !user.isEmpty, !user.contains(":"), !Self.hasControls(user), !Self.hasControls(password ?? "") else {
            return "the proxy's user must not be empty or hold a colon, and no control characters are allowed"
        }
        return nil
    }

    private static func hasControls(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}
