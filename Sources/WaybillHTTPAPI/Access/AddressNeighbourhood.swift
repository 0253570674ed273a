import Glibc
import WaybillEncoding

/// Which addresses are as good as one client's.
enum AddressNeighbourhood {
    /// The name of an address's neighbourhood.
    ///
    /// - Parameter address: as text; an IPv6 address may have a zone behind it.
    /// - Returns: the first 64 bits of an IPv6 address as 16 hexadecimal digits; the IPv4 address that another one has inside of
    ///   it; any other text as it is.
    static func name(_ address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let plain = String(address.prefix { $0 != "%" })
        guard inet_pton(AF_INET6, plain, &bytes) == 1 else { return address }
        if bytes.starts(with: mapped) { return dotted(bytes[12...]) }
        // One host's IPv4 address is a network of 65,536 such neighbourhoods there.
        if bytes.starts(with: sixToFour) { return dotted(bytes[2..<6]) }
        return Hexadecimal.text(of: bytes[..<8])
    }

    /// In front of an IPv4 address (RFC 4291, 2.5.5.2).
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    /// The same in 6to4 (RFC 3056).
    private static let sixToFour: [UInt8] = [0x20, 0x02]

    private static func dotted(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { "\($0)" }.joined(separator: ".") }
}

/// Addresses that may be one client's, or one network's: the wider the block, the more clients it has.
struct AddressBlock: Hashable {
    let name: String
    /// How many times as much as one neighbourhood all of it together may ask for.
    let share: Int

    /// How many times as much the blocks of each width may ask for.
    static let shares = [1, narrowShare, wideShare, widestShare]

    private static let narrowShare = 4
    private static let wideShare = 16
    private static let widestShare = 50

    /// The blocks around a neighbourhood, itself first.
    ///
    /// Providers give one customer up to a /56 or a /48 of IPv6, and one of them may have a /32.
    ///
    /// - Parameter neighbourhood: as ``AddressNeighbourhood`` names it.
    /// - Returns: of IPv6 its /64, /56, /48 and /32; of IPv4 the address, its /24 and its /16; else itself alone.
    static func around(_ neighbourhood: String) -> [AddressBlock] {
        let own = AddressBlock(name: neighbourhood, share: 1)
        let bytes = neighbourhood.split(separator: ".")
        if bytes.count == 4 {
            return [
                own, AddressBlock(name: "\(bytes[0]).\(bytes[1]).\(bytes[2])/24", share: wideShare),
                AddressBlock(name: "\(bytes[0]).\(bytes[1])/16", share: widestShare),
            ]
        }
        guard neighbourhood.utf8.count == 16, Hexadecimal.bytes(of: neighbourhood) != nil else { return [own] }
        return [own]
            + [(56, narrowShare), (48, wideShare), (32, widestShare)].map { bits, share in
                AddressBlock(name: "\(neighbourhood.prefix(bits / 4))/\(bits)", share: share)
            }
    }
}
