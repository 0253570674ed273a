import Glibc

/// An IPv4 or IPv6 address, or all that begin like one, as `10.0.0.0/8`.
package struct IPRange: Hashable, Sendable {
    /// Four or sixteen bytes; an IPv4 address that is written as an IPv6 one counts as itself.
    private let address: [UInt8]
    private let bits: Int

    /// Reads an address, or an address with the number of bits that count; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.address(String(parts[0])) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            bits = address.count * 8
            return
        }
        guard let bits = Int(parts[1]), (0...address.count * 8).contains(bits), parts[1].allSatisfy(\.isNumber) else {
            return nil
        }
        self.bits = bits
    }

    /// Whether an address is one of these; what is no address is not.
    package func contains(_ text: String) -> Bool {
        guard let other = Self.address(text), other.count == address.count else { return false }
        let whole = bits / 8
        guard address.prefix(whole) == other.prefix(whole) else { return false }
        guard bits % 8 > 0 else { return true }
        let mask = UInt8.max << UInt8(8 - bits % 8)
        return address[whole] & mask == other[whole] & mask
    }

    /// The addresses of this machine alone.
    package static let loopback = [IPRange("127.0.0.0/8"), IPRange("::1")].compactMap(\.self)

    private static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
    }
}
