import CWaybillOpenSSL

/// OpenSSL's lists of certificates.
enum Stack {
    /// The certificates of a list, whose references change hands; the list itself is freed.
    static func certificates(stealing stack: OpaquePointer?) -> [Certificate] {
        defer { OPENSSL_sk_free(stack) }
        return pointers(stack).map { Certificate(stealing: $0) }
    }

    /// The certificates of a list, which stays as it is.
    static func certificates(referencing stack: OpaquePointer?) -> [Certificate] {
        pointers(stack).map { Certificate(referencing: $0) }
    }

    /// Lends a list of certificates.
    static func with<Result>(_ certificates: [Certificate], _ body: (OpaquePointer?) -> Result) -> Result {
        let stack = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(stack) }
        return withExtendedLifetime(certificates) {
            for certificate in certificates { OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.pointer)) }
            return body(stack)
        }
    }

    private static func pointers(_ stack: OpaquePointer?) -> [OpaquePointer] {
        guard let stack else { return [] }
        return (0..<OPENSSL_sk_num(stack)).compactMap { OPENSSL_sk_value(stack, $0).map { OpaquePointer($0) } }
    }
}
