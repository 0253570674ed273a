/// Whose signature makes the endpoint's certificate good.
public enum APNSTrust: Hashable, Sendable {
    /// The system's certificate authorities.
    case system
    /// Only the authorities in a PEM file, by its path.
    case file(String)
    /// Only the authorities in a PEM text.
    case certificates([UInt8])
}

/// A version of TLS.
///
/// APNs asks for 1.2 or newer (Apple, "Sending notification requests to APNs").
public enum APNSTLSVersion: Int, Hashable, Sendable, Comparable {
    /// TLS 1.2 (RFC 5246).
    case tls12 = 12
    /// TLS 1.3 (RFC 8446).
    case tls13 = 13

    /// Whether the left version is the older one.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
