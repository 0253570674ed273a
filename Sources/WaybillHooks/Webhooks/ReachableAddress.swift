import WaybillSettings

/// Which addresses a webhook may be sent to: public ones, and what the configuration allows besides.
struct ReachableAddress: Sendable {
    /// What an operator allows, whatever else is said of it.
    let allowed: [IPRange]

    /// Nobody's network out there, by IANA's registries of special-purpose addresses.
    private static let refused = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Azure's own services, on every virtual machine there: public by its number, and nobody's outside.
        "168.63.129.16/32",
        // Protocol assignments, Teredo among them; that and 6to4 hold IPv4 addresses.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap(IPRange.init)
    /// All that is given out of IPv6; what lies outside is local, or a disguise of IPv4.
    private static let global = IPRange("2000::/3")
    private static let four = IPRange("0.0.0.0/0")

    /// - Parameter address: as `192.0.2.1` or `2001:db8::1`; an IPv4 address written as an IPv6 one counts as itself.
    /// - Returns: whether it may be connected to.
    func permits(_ address: String) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        guard Self.four?.contains(address) == true || Self.global?.contains(address) == true else { return false }
        return !Self.refused.contains { $0.contains(address) }
    }
}
