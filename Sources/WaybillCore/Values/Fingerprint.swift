import WaybillEncoding

/// How the store holds what a notification is about: 16 lower-case hexadecimal digits.
package enum Fingerprint {
    package static func text(_ fingerprint: UInt64) -> String { Hexadecimal.text(fingerprint) }

    /// Reads such a text; `nil` for any other.
    package static func value(_ text: String) -> UInt64? {
        guard let fingerprint = UInt64(text, radix: 16), self.text(fingerprint) == text else { return nil }
        return fingerprint
    }
}
