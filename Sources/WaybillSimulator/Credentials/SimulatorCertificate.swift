import Glibc

/// Makes the certificates of a simulated APNs.
package enum SimulatorCertificate {
    /// The files made.
    package struct Files: Hashable, Sendable {
        /// The certificate authority's certificate: what clients trust.
        package let authorityFile: String
        /// The server's certificate.
        package let certificateFile: String
        /// The server's private key, readable by its owner alone.
        package let privateKeyFile: String
    }

    /// Makes an authority (`ca.pem`) and a server certificate signed by it (`server.pem`, `server-key.pem`).
    ///
    /// Both are good for a year.
    ///
    /// - Parameters:
    ///   - directory: an existing directory. Files of these names are overwritten.
    ///   - hostNames: DNS names and IP literals that the certificate is good for; at least one.
    /// - Returns: where the files are.
    /// - Throws: when the directory cannot be written, or there is no `openssl`.
    package static func make(in directory: String, hostNames: [String]) throws(SimulatorError) -> Files {
        let authority = "\(directory)/ca.pem"
        let authorityKey = "\(directory)/ca-key.pem"
        let files = Files(
            authorityFile: authority,
            certificateFile: "\(directory)/server.pem",
            privateKeyFile: "\(directory)/server-key.pem"
        )
        let settings = "\(directory)/openssl.cnf"
        try TextFile.write(configuration(hostNames: hostNames), to: settings, mode: 0o600)
        defer { unlink(settings) }
        try OpenSSLCommand.run(
            request + [
                "-config", settings, "-extensions", "authority", "-subj", "/CN=apns-simulator authority",
                "-keyout", authorityKey, "-out", authority,
            ]
        )
        try OpenSSLCommand.run(
            request + [
                "-config", settings, "-extensions", "server", "-subj", "/CN=apns-simulator",
                "-CA", authority, "-CAkey", authorityKey,
                "-keyout", files.privateKeyFile, "-out", files.certificateFile,
            ]
        )
        return files
    }

    private static let request = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365",
    ]

    /// A provider's certificate as the client needs it.
    package struct ClientFiles: Hashable, Sendable {
        /// The certificate, PEM.
        package let certificateFile: String
        /// Its private key, PEM; readable by its owner alone.
        package let privateKeyFile: String
        /// Both in one PKCS #12 container, with ``passphrase``; readable by its owner alone.
        package let pkcs12File: String

        /// What opens the container: it protects nothing, but the formats want one.
        package static let passphrase = "simulator"
    }

    /// Makes a provider certificate, `<name>.pem`, `<name>-key.pem` and `<name>.p12`, signed by the authority that
    /// ``make(in:hostNames:)`` left in the directory.
    ///
    /// Good for a year.
    ///
    /// - Parameters:
    ///   - directory: where the authority's files are. Files of these names are overwritten.
    ///   - topic: the bundle id, which becomes the subject's UID as in Apple's certificates; `nil` leaves it out.
    ///   - commonName: the subject's CN; `nil` is Apple's wording with the topic.
    ///   - name: what the files are called.
    /// - Returns: where the files are.
    /// - Throws: when the directory cannot be written, has no authority, or there is no `openssl`.
    package static func makeClient(
        in directory: String,
        topic: String?,
        commonName: String? = nil,
        name: String = "client"
    ) throws(SimulatorError) -> ClientFiles {
        let files = ClientFiles(
            certificateFile: "\(directory)/\(name).pem",
            privateKeyFile: "\(directory)/\(name)-key.pem",
            pkcs12File: "\(directory)/\(name).p12"
        )
        let settings = "\(directory)/openssl.cnf"
        try TextFile.write(configuration(hostNames: ["localhost"]), to: settings, mode: 0o600)
        defer { unlink(settings) }
        let subject = topic.map { "/UID=\($0)" } ?? ""
        try OpenSSLCommand.run(
            request + [
                "-config", settings, "-extensions", "client",
                "-subj", "\(subject)/CN=\(commonName ?? "Apple Push Services: \(topic ?? "")")",
                "-CA", "\(directory)/ca.pem", "-CAkey", "\(directory)/ca-key.pem",
                "-keyout", files.privateKeyFile, "-out", files.certificateFile,
            ]
        )
        try OpenSSLCommand.run([
            "pkcs12", "-export", "-in", files.certificateFile, "-inkey", files.privateKeyFile,
            "-out", files.pkcs12File, "-passout", "pass:\(ClientFiles.passphrase)",
        ])
        return files
    }

    private static func configuration(hostNames: [String]) -> String {
        let names = hostNames.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
        return """
            [req]
            distinguished_name = subject
            [subject]
            [authority]
            basicConstraints = critical,CA:TRUE
            keyUsage = critical,keyCertSign,cRLSign
            subjectKeyIdentifier = hash
            [server]
            basicConstraints = critical,CA:FALSE
            keyUsage = critical,digitalSignature
            extendedKeyUsage = serverAuth
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid
            subjectAltName = \(names)
            [client]
            basicConstraints = critical,CA:FALSE
            keyUsage = critical,digitalSignature
            extendedKeyUsage = clientAuth
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid

            """
    }

    private static func isAddress(_ name: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
    }
}
