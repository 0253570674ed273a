import CWaybillNGHTTP2

/// The library below this module.
package enum HTTP2Library {
    /// The version that is loaded, as nghttp2 says itself, such as `1.52.0`; any thread.
    package static var version: String { nghttp2_version(0).map { String(cString: $0.pointee.version_str) } ?? "" }
}
