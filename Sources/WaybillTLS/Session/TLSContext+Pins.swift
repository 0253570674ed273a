import CWaybillOpenSSL

extension TLSContext {
    /// Adds the search for a pinned key to the verification of the server's certificate.
    ///
    /// It runs inside the handshake, before the client shows its own certificate or sends anything else. A resumed
    /// session has no certificates; it comes from a session of this context, which has passed.
    func requirePins() {
        guard !pins.isEmpty else { return }
        SSL_CTX_set_cert_verify_callback(
            pointer,
            { verification, argument in
                guard let verification else { return 0 }
                // First the verification that OpenSSL would do by itself: chain, validity, host name.
                let result = X509_verify_cert(verification)
                guard result == 1 else { return result }
                // Never nil: it is set with the callback.
                let context = Unmanaged<TLSContext>.fromOpaque(argument!).takeUnretainedValue()
                let chain = Stack.certificates(referencing: X509_STORE_CTX_get0_chain(verification))
                guard chain.contains(where: { context.pins.contains(TLSPin(digest: $0.publicKeyDigest)) }) else {
                    X509_STORE_CTX_set_error(verification, TLSContext.pinMismatch)
                    return 0
                }
                return 1
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// OpenSSL's number for a refusal by the application; nothing else here uses it.
    static let pinMismatch = X509_V_ERR_APPLICATION_VERIFICATION
}
