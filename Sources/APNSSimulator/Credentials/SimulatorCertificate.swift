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
        let request = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365",
        ]
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

            """
    }

    private static func isAddress(_ name: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
    }
}
