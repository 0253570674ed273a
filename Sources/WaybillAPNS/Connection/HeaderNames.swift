/// Which header names of changing values the peer's HPACK table holds by now.
///
/// Apple asks for such a header to be indexed the first time, for the sake of its name, and never again, because the
/// values would push everything else out ("Sending notification requests to APNs"; RFC 7541 §6.2.1, §6.2.3). One for
/// each connection.
package struct HeaderNames: Hashable {
    private var isKnown: UInt8 = 0

    package init() {}

    enum Name: UInt8 {
        case apnsID = 1
        case expiration = 2
        case collapseID = 4
    }

    /// Whether a header is to be indexed: the first time it is asked for.
    mutating func isNew(_ name: Name) -> Bool {
        defer { isKnown |= name.rawValue }
        return isKnown & name.rawValue == 0
    }
}
