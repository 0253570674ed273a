/// Which header names of changing values the peer's HPACK table holds by now.
///
/// Such a header is worth indexing the first time, for the sake of its name, and never again, because the values would
/// push everything else out (RFC 7541 §6.2.1, §6.2.3). One for each connection.
package struct HeaderNames: Hashable {
    /// A name that a service counts: one bit of eight.
    package struct Name: Hashable, Sendable {
        @usableFromInline let bit: UInt8

        /// - Parameter number: 0 to 7, for each name another one.
        @inlinable
        package init(number: UInt8) {
            // Without the checks of `<<` the call is a constant.
            bit = 1 &<< number
        }
    }

    @usableFromInline var known: UInt8 = 0

    package init() {}

    /// Whether a header is to be indexed: the first time it is asked for.
    @inlinable
    package mutating func isNew(_ name: Name) -> Bool {
        defer { known |= name.bit }
        return known & name.bit == 0
    }
}
