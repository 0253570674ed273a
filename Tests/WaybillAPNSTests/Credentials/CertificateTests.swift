import Testing
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport

@testable import WaybillAPNS

@Suite("Provider certificates", .serialized)
struct CertificateTests {
    /// A simulator that takes certificates alone.
    private final class CertificateRehearsal {
        let server: SimulatorServer
        let files: SimulatorCertificate.ClientFiles
        private let authority: String
        private let port: UInt16
        private let directory: TemporaryFolder

        init() throws {
            directory = try TemporaryFolder()
            let certificate = try SimulatorCertificate.make(in: directory.path, hostNames: ["127.0.0.1"])
            authority = certificate.authorityFile
            files = try SimulatorCertificate.makeClient(in: directory.path, topic: "com.example.parcels")
            var configuration = SimulatorConfiguration(
                certificateFile: certificate.certificateFile,
                privateKeyFile: certificate.privateKeyFile,
                authentication: .keys([])
            )
            configuration.clientAuthorities = .file(authority)
            server = try SimulatorServer(configuration: configuration)
            port = try server.start()
        }

        deinit {
            server.stop()
        }

        func client(_ credentials: APNSCredentials) throws -> APNSClient {
            var lane = APNSConfiguration(
                endpoint: APNSEndpoint(host: "127.0.0.1", port: port),
                credentials: credentials,
                bundleID: "com.example.parcels"
            )
            lane.trust = .file(authority)
            return try APNSClient(lane)
        }
    }

    enum Form: CaseIterable, Sendable {
        case files, pem, pkcs12File, pkcs12

        func certificate(_ files: SimulatorCertificate.ClientFiles) throws -> APNSCertificate {
            let passphrase = SimulatorCertificate.ClientFiles.passphrase
            return switch self {
            case .files:
                APNSCertificate(certificateFile: files.certificateFile, privateKeyFile: files.privateKeyFile)
            case .pem:
                APNSCertificate(
                    certificatePEM: try CredentialFile.read(files.certificateFile),
                    privateKeyPEM: try CredentialFile.read(files.privateKeyFile)
                )
            case .pkcs12File: APNSCertificate(pkcs12File: files.pkcs12File, passphrase: passphrase)
            case .pkcs12:
                APNSCertificate(pkcs12: try CredentialFile.read(files.pkcs12File), passphrase: passphrase)
            }
        }
    }

    @Test("In each of its forms a certificate proves the sender, without a provider token", arguments: Form.allCases)
    func forms(form: Form) async throws {
        let rehearsal = try CertificateRehearsal()
        let certificate = try form.certificate(rehearsal.files)
        #expect(try certificate.lastValidMoment() > .now + .seconds(86_400))
        let client = try rehearsal.client(.certificate(certificate))
        #expect(try await client.send(Fixture.notification()).isAccepted)
        var foreign = Fixture.notification(1)
        foreign.topic = "com.example.other"
        let refusal = try await client.send(foreign)
        #expect(refusal.action == .fixConfiguration)
        #expect(rehearsal.server.statistics.requests == 2)
        await client.close()
    }

    @Test("A push type that needs a token is refused before sending, also once the credentials were replaced")
    func location() async throws {
        let rehearsal = try CertificateRehearsal()
        let client = try rehearsal.client(
            .token(try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: .generate()))
        )
        let query = APNSNotification(to: Fixture.token(1), payload: Array(#"{"aps":{}}"#.utf8), pushType: .location)
        // The simulator does not know the key: an answer, so the request went out.
        #expect(try await client.send(query).status == 403)
        try client.replaceCredentials(.certificate(try Form.pem.certificate(rehearsal.files)))
        let error = await #expect(throws: APNSError.self) { try await client.send(query) }
        #expect(error?.field == "pushType")
        #expect(try await client.send(Fixture.notification()).isAccepted)
        await client.close()
    }

    @Test("Credentials that cannot be used leave the old ones in place")
    func unusable() async throws {
        let rehearsal = try CertificateRehearsal()
        let client = try rehearsal.client(.certificate(try Form.files.certificate(rehearsal.files)))
        let wrong = APNSCertificate(pkcs12File: rehearsal.files.pkcs12File, passphrase: "wrong passphrase")
        let error = #expect(throws: APNSSetupError.self) { try client.replaceCredentials(.certificate(wrong)) }
        #expect(error?.code == .credentials)
        #expect(error.map { !"\($0)".contains("wrong passphrase") } == true)
        #expect(throws: APNSSetupError.self) { try rehearsal.client(.certificate(wrong)) }
        #expect(throws: APNSSetupError.self) { try wrong.lastValidMoment() }
        #expect(try await client.send(Fixture.notification()).isAccepted)
        await client.close()
    }

    @Test("No description holds a key or a passphrase")
    func descriptions() {
        let secret = "sesame"
        for certificate in [
            APNSCertificate(certificatePEM: Array("public".utf8), privateKeyPEM: Array(secret.utf8)),
            APNSCertificate(pkcs12: Array(secret.utf8), passphrase: secret),
            APNSCertificate(pkcs12File: "cert.p12", passphrase: secret),
        ] {
            var text = "\(certificate) \(String(reflecting: certificate)) \(APNSCredentials.certificate(certificate))"
            dump(certificate, to: &text)
            dump(APNSCredentials.certificate(certificate), to: &text)
            #expect(!text.contains(secret))
            // Nor its bytes as numbers.
            #expect(!text.contains(String(describing: Array(secret.utf8)).dropFirst().dropLast()))
            #expect(!text.contains("\(Array(secret.utf8)[0])"))
        }
    }
}

@Suite("Reading a key's file")
struct CredentialFileTests {
    @Test("A key file becomes a source; one that is missing or too large is an error that names it")
    func files() throws {
        let directory = try TemporaryFolder()
        let key = try ES256PrivateKey.generate()
        let good = "\(directory.path)/AuthKey.p8"
        try write(key.pem, to: good)
        _ = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: good)

        let large = "\(directory.path)/large.p8"
        try write([UInt8](repeating: 10, count: 64 * 1024 + 1), to: large)
        for path in [large, "\(directory.path)/absent.p8", directory.path] {
            let error = #expect(throws: APNSSetupError.self) {
                try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: path)
            }
            #expect(error?.code == .credentials)
            #expect(error?.text.contains(path) == true)
        }
    }
}
