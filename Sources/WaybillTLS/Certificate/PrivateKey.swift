import CWaybillOpenSSL

/// The private key of an identity, of any kind that TLS knows.
///
/// *Ownership:* holds one reference, and gives it back.
final class PrivateKey {
    let pointer: OpaquePointer

    init(stealing pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}
