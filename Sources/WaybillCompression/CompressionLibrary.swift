import CWaybillZlib

/// The library below this module.
package enum CompressionLibrary {
    /// The version that is loaded, as zlib says itself, such as `1.2.13`; any thread.
    package static var version: String { zlibVersion().map { String(cString: $0) } ?? "" }
}
