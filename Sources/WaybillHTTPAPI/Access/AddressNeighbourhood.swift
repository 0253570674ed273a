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
        guard !bytes.starts(with: mapped) else { return bytes[12...].map { "\($0)" }.joined(separator: ".") }
        return Hexadecimal.text(of: bytes[..<8])
    }

    /// In front of an IPv4 address (RFC 4291, 2.5.5.2).
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
