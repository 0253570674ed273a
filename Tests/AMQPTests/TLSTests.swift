import AMQP
import Foundation
import Testing

/// Certificates are checked before anything is said, so a server that speaks TLS and nothing else is enough.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: OpenSSL.path), "the openssl command is missing"))
struct TLSTests {
    private func open(_ host: String, _ port: Int, caFile: String?) -> AMQPError? {
        #expect(throws: AMQPError.self) {
            let endpoint = try AMQPEndpoint(
                url: "amqps://guest@\(host):\(port)/", caFile: caFile, connectionName: "AMQPTests")
            _ = try AMQPConnection.open(endpoint, timeout: .seconds(2))
        }
    }

    @Test func onlyTheRightCertificateIsTrusted() throws {
        try OpenSSL.withServer(names: "DNS:localhost,IP:127.0.0.1") { port, certificate in
            // The handshake succeeds, and nobody answers the log-in.
            #expect(open("localhost", port, caFile: certificate)?.code == .timeout)
            #expect(open("127.0.0.1", port, caFile: certificate)?.code == .timeout)

            let untrusted = open("localhost", port, caFile: nil)
            #expect(untrusted?.code == .tls)
            #expect(untrusted?.text.contains("certificate verify failed") == true)
            #expect(untrusted?.isRetriable == false)
            let missing = open("localhost", port, caFile: "/no/such/file.pem")
            #expect(missing?.code == .tls)
            #expect(missing?.text.contains("/no/such/file.pem") == true)
        }
    }

    @Test(arguments: ["DNS:broker.example", "IP:127.0.0.2", "DNS:*.localhost"])
    func anotherNameIsRefused(_ names: String) throws {
        try OpenSSL.withServer(names: names) { port, certificate in
            #expect(open("localhost", port, caFile: certificate)?.code == .tls)
            #expect(open("127.0.0.1", port, caFile: certificate)?.code == .tls)
        }
    }
}

/// The openssl command: a certificate made on the spot, and a server that has it.
enum OpenSSL {
    static let path = "/usr/bin/openssl"

    static func withServer(names: String, _ body: (_ port: Int, _ certificate: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "waybill-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem").path
        let certificate = folder.appending(path: "certificate.pem").path
        let maker = try start([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            certificate, "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)",
        ])
        maker.waitUntilExit()
        #expect(maker.terminationStatus == 0)

        let output = Pipe()
        let server = try start(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key], output: output)
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        try body(port(in: output), certificate)
    }

    /// s_server prints `ACCEPT 127.0.0.1:PORT` once it listens.
    private static func port(in output: Pipe) throws -> Int {
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw MissingEvent() }
            text += String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: /ACCEPT \S*:(\d+)\n/), let port = Int(match.1) { return port }
        }
    }

    private static func start(_ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = Pipe()
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
