import WaybillEncoding
import WaybillTLS

/// How much longer a provider certificate is of use.
///
/// APNs refuses an expired one in the handshake.
enum CertificateAge {
    /// An operator needs about this long to get a new certificate from Apple and to deploy it.
    static let warning: Int64 = 30 * 86_400

    /// What there is to say about a certificate that fits its key.
    ///
    /// - Parameters:
    ///   - info: the certificate.
    ///   - name: what the operator calls it.
    ///   - path: the setting.
    ///   - now: seconds since 1970.
    /// - Returns: an error for one that has expired, a warning for one that soon will.
    static func finding(_ info: TLSCertificateInfo, name: String, path: String, now: Int64) -> Finding {
        let end = TimeText.day(seconds: info.notAfter)
        if info.notAfter < now { return Finding(.error, path: path, message: "\(name) expired on \(end)") }
        guard info.notAfter - now >= warning else {
            return Finding(.warning, path: path, message: "\(name) fits its private key, but expires on \(end)")
        }
        return Finding(.ok, path: path, message: "\(name) fits its private key, and is good until \(end)")
    }
}
