import CWaybillOpenSSL
import Glibc

/// One X.509 certificate (RFC 5280).
///
/// *Ownership:* holds one reference, and gives it back.
final class Certificate {
    let pointer: OpaquePointer

    init(stealing pointer: OpaquePointer) {
        self.pointer = pointer
    }

    convenience init(referencing pointer: OpaquePointer) {
        X509_up_ref(pointer)
        self.init(stealing: pointer)
    }

    deinit {
        X509_free(pointer)
    }

    /// The first value of an attribute of the subject's name.
    ///
    /// - Parameter attribute: OpenSSL's number (`NID_…`) of the attribute.
    /// - Returns: `nil` if the name lacks it.
    func subject(_ attribute: Int32) -> String? {
        guard let name = X509_get_subject_name(pointer) else { return nil }
        let position = X509_NAME_get_index_by_NID(name, attribute, -1)
        guard position >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, position)) else {
            return nil
        }
        var text: UnsafeMutablePointer<UInt8>?
        let length = ASN1_STRING_to_UTF8(&text, value)
        defer { CRYPTO_free(text, nil, 0) }
        guard length >= 0, let text else { return nil }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }

    var commonName: String? { subject(NID_commonName) }

    /// The attribute UID (0.9.2342.19200300.100.1.1, RFC 4519 §2.39): Apple puts the topic there.
    var userID: String? { subject(NID_userId) }

    /// The last second in which it is valid, in seconds since 1970; `nil` if it is no time.
    var notAfter: Int64? {
        var time = tm()
        guard let end = X509_get0_notAfter(pointer), ASN1_TIME_to_tm(end, &time) == 1 else { return nil }
        return Int64(timegm(&time))
    }

    /// SHA-256 of the whole certificate.
    var digest: SHA256Digest { SHA256Hasher.digest(of: DER.bytes { i2d_X509(pointer, $0) }) }

    /// SHA-256 of its SubjectPublicKeyInfo.
    var publicKeyDigest: SHA256Digest {
        SHA256Hasher.digest(of: DER.bytes { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) })
    }

    /// Whether this certificate's authority is the other one, by names and key identifiers.
    func isIssued(by other: Certificate) -> Bool { X509_check_issued(other.pointer, pointer) == X509_V_OK }
}
