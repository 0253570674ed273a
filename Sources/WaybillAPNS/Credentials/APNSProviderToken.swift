/// One provider token, ready to be sent; the connections of a key share it.
package struct APNSProviderToken: Sendable {
    /// Counts the tokens of a source, so that two can be told apart at no cost.
    package let serial: Int
    /// The value of `authorization`, the word `bearer` and the JWT; never logged.
    package let authorization: [UInt8]
    /// When it was issued: its `iat`, in seconds since 1970.
    package let issuedAt: Int64
}

extension APNSProviderToken: CustomStringConvertible, CustomReflectable {
    /// The serial and the date, without the token.
    package var description: String { "provider token \(serial), issued at \(issuedAt)" }

    /// Shows what ``description`` does.
    package var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
