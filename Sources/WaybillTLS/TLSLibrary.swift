import CWaybillOpenSSL

/// The library below this module.
package enum TLSLibrary {
    /// The version that is loaded, as OpenSSL says itself, such as `3.0.15`; any thread.
    package static var version: String { OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) } ?? "" }
}
