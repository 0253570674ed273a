/// In which order the addresses of a host are tried.
enum AddressOrder {
    /// Rotates the addresses of each family, so that connections spread over them, and lets the families take turns,
    /// beginning with the one that the system prefers (RFC 8305 §4).
    ///
    /// - Parameters:
    ///   - addresses: in the system's order of preference (RFC 6724).
    ///   - rotation: how many connections were made before.
    /// - Returns: the same addresses.
    static func spread(_ addresses: [SocketAddress], rotation: Int) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = rotated(addresses.filter { $0.family == first.family }, by: rotation)
        let others = rotated(addresses.filter { $0.family != first.family }, by: rotation)
        var order: [SocketAddress] = []
        for position in 0..<max(preferred.count, others.count) {
            if position < preferred.count { order.append(preferred[position]) }
            if position < others.count { order.append(others[position]) }
        }
        return order
    }

    private static func rotated(_ addresses: [SocketAddress], by rotation: Int) -> [SocketAddress] {
        guard addresses.count > 1 else { return addresses }
        let first = rotation % addresses.count
        return Array(addresses[first...] + addresses[..<first])
    }
}
