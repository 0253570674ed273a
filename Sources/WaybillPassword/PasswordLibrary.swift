import CWaybillArgon2

/// The library below this module.
package enum PasswordLibrary {
    /// The version of Argon2 that hashes are made by, such as `1.3` (RFC 9106, `v=19` in a hash); any thread.
    ///
    /// libargon2 does not tell a version of its own.
    package static var version: String {
        let number = ARGON2_VERSION_NUMBER.rawValue
        return "\(number >> 4).\(number & 0xf)"
    }
}
