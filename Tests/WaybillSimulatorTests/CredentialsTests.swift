import Testing
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport

@Suite struct CredentialsTests {
    @Test func makesEverythingALocalRunNeeds() throws {
        let directory = try TemporaryFolder()
        let files = try CredentialsDirectory.make(at: directory.path, keyID: "KEY1234567")
        #expect(files.providerKeyFile == "\(directory.path)/AuthKey_KEY1234567.p8")
        #expect(directory.mode(of: "AuthKey_KEY1234567.p8") == 0o600)
        #expect(directory.mode(of: "server-key.pem") == 0o600)
        #expect(directory.mode(of: "client-key.pem") == 0o600)
        #expect(directory.mode(of: "client.p12") == 0o600)
        #expect(directory.mode(of: "openssl.cnf") == 0)

        let privateKey = try ES256PrivateKey(pem: TextFile.read(files.providerKeyFile))
        let key = try SimulatorKey(keyID: "KEY1234567", teamID: "TEAM123456", publicKeyFile: files.publicKeyFile)
        #expect(key.publicKey.isValid(signature: try privateKey.sign([1, 2, 3]), for: [1, 2, 3]))
        _ = try TLSContext.server(
            identity: TLSIdentity(
                certificateFile: files.certificate.certificateFile,
                privateKeyFile: files.certificate.privateKeyFile
            ),
            protocols: ["h2"]
        )
    }

    @Test func theClientsCertificateIsUsableInBothForms() throws {
        let directory = try TemporaryFolder()
        let files = try CredentialsDirectory.make(at: directory.path, keyID: "KEY1234567", topic: "com.example.a")
            .client
        let identities = [
            TLSIdentity(certificateFile: files.certificateFile, privateKeyFile: files.privateKeyFile),
            TLSIdentity(pkcs12File: files.pkcs12File, passphrase: SimulatorCertificate.ClientFiles.passphrase),
        ]
        for identity in identities { #expect(try identity.certificateInfo().userID == "com.example.a") }
    }

    @Test func aDirectoryThatCannotBeMadeIsAnError() {
        #expect(throws: SimulatorError.self) {
            try CredentialsDirectory.make(at: "/nowhere/at/all", keyID: "KEY1234567")
        }
    }

    @Test func aKeyFileThatIsNoneIsAnError() throws {
        let directory = try TemporaryFolder()
        let path = "\(directory.path)/key.pem"
        try TextFile.write("hello", to: path, mode: 0o600)
        let error = #expect(throws: SimulatorError.self) {
            try SimulatorKey(keyID: "a", teamID: "b", publicKeyFile: path)
        }
        #expect(error?.description.contains(path) == true)
    }
}
