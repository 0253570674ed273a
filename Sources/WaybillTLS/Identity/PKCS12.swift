import CWaybillOpenSSL

/// Reads PKCS #12 containers (RFC 7292).
///
/// They are decrypted with OpenSSL's ordinary algorithms, and only if these do not suffice with the legacy ones
/// (40-bit RC2), which Apple's Keychain still writes.
enum PKCS12 {
    /// Why one attempt has failed.
    private enum Failure: Error {
        case notPKCS12
        case unauthenticated
        case wrongPassphrase
        case unsupported
        case damaged
        case incomplete
    }

    /// What stands in a container.
    private struct Content {
        var certificate: Certificate
        var privateKey: KeyHandle
        var others: [Certificate]
    }

    /// Decrypts a container.
    ///
    /// - Parameters:
    ///   - bytes: the container in binary form (DER).
    ///   - passphrase: UTF-8 text.
    ///   - name: the container's, for errors.
    ///   - modules: the folder of OpenSSL's modules; `nil` for the library's own.
    /// - Returns: the key, its certificate, and the authorities above that, in order.
    /// - Throws: `TLSError.badFile`, without the passphrase.
    static func read(
        _ bytes: [UInt8],
        passphrase: SecretBytes,
        name: String,
        modules: String? = nil
    ) throws(TLSError) -> KeyMaterial {
        // OpenSSL takes a C string, and would read no further than the zero byte.
        guard !passphrase.bytes.contains(0) else {
            throw TLSError(.badFile, "the passphrase of \(name) holds a zero byte")
        }
        let content: Content
        do throws(Failure) {
            content = try attempt(bytes, passphrase, library: nil)
        } catch {
            guard error == .unsupported else { throw TLSError(.badFile, text(error, name)) }
            content = try LegacyAlgorithms.with(modules: modules, name: name) { library throws(TLSError) in
                do throws(Failure) {
                    return try detach(attempt(bytes, passphrase, library: library))
                } catch {
                    throw TLSError(.badFile, text(error, name))
                }
            }
        }
        return try KeyMaterial(
            certificate: content.certificate,
            privateKey: content.privateKey,
            chain: chain(above: content.certificate, from: content.others),
            mismatch: "the private key in \(name) is not that of its certificate"
        )
    }

    private static func text(_ failure: Failure, _ name: String) -> String {
        switch failure {
        case .notPKCS12: "\(name) is not in PKCS #12 form"
        case .unauthenticated: "\(name) lacks the code (MAC) that protects its content; export it anew with one"
        case .wrongPassphrase: "the passphrase of \(name) is wrong"
        case .unsupported: "\(name) is encrypted with an algorithm that OpenSSL does not have"
        case .damaged: "\(name) cannot be decrypted: the passphrase is wrong, or the content is damaged"
        case .incomplete: "\(name) does not hold a private key together with its certificate"
        }
    }

    private static func attempt(
        _ bytes: [UInt8],
        _ passphrase: SecretBytes,
        library: OpaquePointer?
    ) throws(Failure) -> Content {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var container = PKCS12_init_ex(NID_pkcs7_data, library, nil)
        defer { PKCS12_free(container) }
        let isRead = PEM.withSource(bytes) { d2i_PKCS12_bio($0, &container) != nil }
        guard isRead else { throw .notPKCS12 }
        // OpenSSL would blame the passphrase.
        guard PKCS12_mac_present(container) == 1 else { throw .unauthenticated }

        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var stack: OpaquePointer?
        let cString = passphrase.bytes.map { CChar(bitPattern: $0) } + [0]
        guard PKCS12_parse(container, cString, &key, &certificate, &stack) == 1 else { throw failure() }
        let privateKey = key.map { KeyHandle(stealing: $0) }
        let leaf = certificate.map { Certificate(stealing: $0) }
        let others = Stack.certificates(stealing: stack)
        guard let privateKey, let leaf else { throw .incomplete }
        return Content(certificate: leaf, privateKey: privateKey, others: others)
    }

    /// Reads the reason off the thread's error queue.
    private static func failure() -> Failure {
        var failure = Failure.damaged
        while true {
            let number = ERR_get_error()
            guard number != 0 else { return failure }
            let reason = ERR_GET_REASON(number)
            if ERR_GET_LIB(number) == ERR_LIB_PKCS12, reason == PKCS12_R_MAC_VERIFY_FAILURE { return .wrongPassphrase }
            if reason == ERR_R_UNSUPPORTED { failure = .unsupported }
        }
    }

    /// The same content without a tie to the library context that read it, which goes away.
    private static func detach(_ content: Content) throws(Failure) -> Content {
        func detach(_ certificate: Certificate) throws(Failure) -> Certificate {
            let bytes = DER.bytes { i2d_X509(certificate.pointer, $0) }
            guard let copy = DER.value(bytes, { d2i_X509(nil, $0, $1) }) else { throw .damaged }
            return Certificate(stealing: copy)
        }
        let bytes = DER.bytes { i2d_PrivateKey(content.privateKey.pointer, $0) }
        guard let key = DER.value(bytes, { d2i_AutoPrivateKey(nil, $0, $1) }) else { throw .damaged }
        let privateKey = KeyHandle(stealing: key)
        var others: [Certificate] = []
        for certificate in content.others { others.append(try detach(certificate)) }
        return Content(certificate: try detach(content.certificate), privateKey: privateKey, others: others)
    }

    /// The certificates that lead from a certificate upwards; a container may hold them in any order, and others too.
    private static func chain(above certificate: Certificate, from others: [Certificate]) -> [Certificate] {
        var remaining = others
        var chain: [Certificate] = []
        var last = certificate
        while let position = remaining.firstIndex(where: { last.isIssued(by: $0) }) {
            last = remaining.remove(at: position)
            chain.append(last)
        }
        return chain
    }
}
