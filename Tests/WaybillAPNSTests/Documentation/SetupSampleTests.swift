import Foundation
import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport

@Suite("The samples on keys, certificates and networks, run against the simulator", .serialized)
struct SetupSampleTests {
    /// A simulator whose credentials were made by `make-credentials`.
    private final class FileRehearsal {
        let directory: TemporaryFolder
        let files: CredentialsDirectory.Files
        let server: SimulatorServer
        let port: UInt16

        init(keyID: String = "ABC123DEFG") throws {
            directory = try TemporaryFolder()
            files = try CredentialsDirectory.make(at: directory.path, keyID: keyID)
            let key = try SimulatorKey(keyID: keyID, teamID: "ABCDE12345", publicKeyFile: files.publicKeyFile)
            var configuration = SimulatorConfiguration(
                certificateFile: files.certificate.certificateFile,
                privateKeyFile: files.certificate.privateKeyFile,
                authentication: .keys([key])
            )
            configuration.trustClients(authorityFile: files.certificate.authorityFile)
            configuration.rules = try RulesFile.read(
                Document.root.appending(path: "schemas/simulator-rules.example.json").path
            ).requests
            server = try SimulatorServer(configuration: configuration)
            port = try server.start()
        }

        deinit { server.stop() }

        func configuration() throws -> APNSConfiguration {
            try SimulatorSamples.simulated(credentials: directory.path, port: port)
        }

        /// What one push through a configuration meets.
        func send(_ configuration: APNSConfiguration) async throws -> APNSResponse {
            let client = try APNSClient(configuration)
            let response: APNSResponse
            do {
                response = try await client.send(Fixture.notification())
            } catch {
                await client.close(grace: .zero)
                throw error
            }
            await client.close()
            return response
        }
    }

    /// Holds the key in place of a vault.
    private struct Box: CredentialSamples.Vault {
        let key: ES256PrivateKey

        func sign(_ bytes: [UInt8], withKey name: String, algorithm: String) throws -> [UInt8] {
            try key.sign(bytes)
        }
    }

    @Test("The simulator's configuration, and a dead token of the example rules")
    func simulator() async throws {
        let rehearsal = try FileRehearsal()
        let client = try APNSClient(rehearsal.configuration())
        let response = try await SimulatorSamples.deadToken(client: client)
        #expect(response.reason == .unregistered)
        #expect(response.invalidSince == 1_700_000_000_000)
        await client.close()
    }

    @Test("A key from a file shared by two clients, from bytes, and from a signer")
    func keys() async throws {
        let rehearsal = try FileRehearsal()
        let file = rehearsal.files.providerKeyFile
        let clients = try CredentialSamples.shared(
            keyFile: file,
            endpoint: APNSEndpoint(host: "localhost", port: rehearsal.port),
            trust: .file(rehearsal.files.certificate.authorityFile)
        )
        for client in clients {
            #expect(try await client.send(Fixture.notification()).isAccepted)
            await client.close()
        }
        let pem = Array(try Data(contentsOf: URL(filePath: file)))
        var configuration = try rehearsal.configuration()
        configuration.credentials = .token(try CredentialSamples.bytes(secret: pem))
        #expect(try await rehearsal.send(configuration).isAccepted)
        configuration.credentials = .token(try CredentialSamples.signer(vault: Box(key: try ES256PrivateKey(pem: pem))))
        #expect(try await rehearsal.send(configuration).isAccepted)
    }

    @Test("A certificate in PEM and in PKCS #12")
    func certificates() async throws {
        let rehearsal = try FileRehearsal()
        let client = rehearsal.files.client
        var configuration = try rehearsal.configuration()
        configuration.credentials = CredentialSamples.pem(
            certificateFile: client.certificateFile,
            privateKeyFile: client.privateKeyFile
        )
        #expect(try await rehearsal.send(configuration).isAccepted)
        configuration.credentials = try CredentialSamples.pkcs12(
            file: client.pkcs12File,
            passphrase: SimulatorCertificate.ClientFiles.passphrase
        )
        #expect(try await rehearsal.send(configuration).isAccepted)
    }

    @Test("Another key from here on")
    func rotation() async throws {
        let rehearsal = try FileRehearsal(keyID: "XYZ987WVUT")
        let other = try FileRehearsal()
        var configuration = try other.configuration()
        configuration.endpoint.port = rehearsal.port
        configuration.trust = .file(rehearsal.files.certificate.authorityFile)
        let client = try APNSClient(configuration)
        #expect(try await client.send(Fixture.notification()).action == .fixConfiguration)
        try CredentialSamples.rotate(client, to: rehearsal.files.providerKeyFile)
        #expect(try await client.send(Fixture.notification()).isAccepted)
        await client.close()
    }

    @Test("Through a proxy with a password")
    func proxy() async throws {
        let rehearsal = try FileRehearsal()
        // waybill:secret
        let proxy = try TestProxy(.guarded("d2F5YmlsbDpzZWNyZXQ="))
        var configuration = try rehearsal.configuration()
        NetworkSamples.proxy(&configuration, password: "secret")
        configuration.proxy?.host = "127.0.0.1"
        configuration.proxy?.port = proxy.port
        #expect(try await rehearsal.send(configuration).isAccepted)
        #expect(proxy.requests.first?.hasPrefix("CONNECT localhost:\(rehearsal.port) ") == true)
    }

    @Test("The settings of the article are allowed")
    func allowed() throws {
        let rehearsal = try FileRehearsal()
        var configuration = try rehearsal.configuration()
        NetworkSamples.port(&configuration)
        NetworkSamples.source(&configuration)
        NetworkSamples.deadlines(&configuration)
        #expect(throws: Never.self) { try configuration.validate() }
        #expect(configuration.endpoint.port == 2197)
        NetworkSamples.trust(&configuration)
        // The article's file is not there; a pin that is none would be told first.
        configuration.trust = .file(rehearsal.files.certificate.authorityFile)
        #expect(throws: Never.self) { _ = try APNSClient(configuration) }
    }

    @Test("The article's command makes a pin that holds, and another one does not")
    func pin() async throws {
        let rehearsal = try FileRehearsal()
        let command = try #require(
            Document.blocks(in: "sh").first { $0.text.contains("openssl x509 -in authority.pem") }
        )
        let folder = URL(filePath: rehearsal.directory.path)
        let authority = URL(filePath: rehearsal.files.certificate.authorityFile)
        try FileManager.default.copyItem(at: authority, to: folder.appending(path: "authority.pem"))
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", command.text]
        shell.currentDirectoryURL = folder
        shell.standardOutput = output
        try shell.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        var configuration = try rehearsal.configuration()
        configuration.deadlines.unreachable = .seconds(2)
        configuration.pins = [APNSPin(base64: text.trimmingCharacters(in: .whitespacesAndNewlines))]
        #expect(try await rehearsal.send(configuration).isAccepted)
        NetworkSamples.trust(&configuration)
        configuration.trust = .file(rehearsal.files.certificate.authorityFile)
        let refused = configuration
        let error = await #expect(throws: APNSError.self) { _ = try await rehearsal.send(refused) }
        #expect(error?.code == .unreachable)
    }
}
