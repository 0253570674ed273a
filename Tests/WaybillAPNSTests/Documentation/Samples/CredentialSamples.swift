import WaybillAPNS

/// The code of "Keys and certificates".
enum CredentialSamples {
    static func shared(keyFile: String, endpoint: APNSEndpoint, trust: APNSTrust) throws -> [APNSClient] {
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: keyFile)
        let clients = try ["com.example.parcels", "com.example.drivers"].map { bundleID in
            var configuration = APNSConfiguration(
                endpoint: endpoint,
                credentials: .token(source),
                bundleID: bundleID
            )
            configuration.name = bundleID
            configuration.trust = trust
            return try APNSClient(configuration)
        }
        return clients
    }

    static func bytes(secret: [UInt8]) throws -> APNSProviderTokenSource {
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyPEM: secret)
        return source
    }

    /// Signs with a key that stays where it is.
    struct VaultSigner: APNSSigner {
        let vault: any Vault

        func signature(for bytes: [UInt8]) throws -> [UInt8] {
            // ES256: 64 bytes, r then s. May block: it has a thread of its own.
            try vault.sign(bytes, withKey: "apns", algorithm: "ES256")
        }
    }

    /// Whatever holds the key.
    protocol Vault: Sendable {
        func sign(_ bytes: [UInt8], withKey name: String, algorithm: String) throws -> [UInt8]
    }

    static func signer(vault: any Vault) throws -> APNSProviderTokenSource {
        let source = try APNSProviderTokenSource(
            teamID: "ABCDE12345",
            keyID: "ABC123DEFG",
            signer: VaultSigner(vault: vault)
        )
        return source
    }

    static func pem(certificateFile: String, privateKeyFile: String) -> APNSCredentials {
        let credentials = APNSCredentials.certificate(
            APNSCertificate(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
        )
        return credentials
    }

    static func pkcs12(file: String, passphrase: String) throws -> APNSCredentials {
        let certificate = APNSCertificate(pkcs12File: file, passphrase: passphrase)
        if try certificate.lastValidMoment() < .now + .seconds(30 * 86_400) {
            print("the provider certificate ends within a month")
        }
        let credentials = APNSCredentials.certificate(certificate)
        return credentials
    }

    static func rotate(_ client: APNSClient, to newKeyFile: String) throws {
        let next = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "XYZ987WVUT", keyFile: newKeyFile)
        try client.replaceCredentials(.token(next))
    }
}
