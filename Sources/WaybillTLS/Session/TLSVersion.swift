import CWaybillOpenSSL

/// A version of TLS.
///
/// Older ones than 1.2 are never used (RFC 8996; RFC 9113 §9.2).
package enum TLSVersion: Comparable, Hashable, Sendable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
