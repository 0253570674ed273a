import Glibc
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
        let end = date(info.notAfter)
        if info.notAfter < now { return Finding(.error, path: path, message: "\(name) expired on \(end)") }
        guard info.notAfter - now >= warning else {
            return Finding(.warning, path: path, message: "\(name) fits its private key, but expires on \(end)")
        }
        return Finding(.ok, path: path, message: "\(name) fits its private key, and is good until \(end)")
    }

    /// The day in UTC, as 2026-11-21.
    private static func date(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let numbers = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }
}
