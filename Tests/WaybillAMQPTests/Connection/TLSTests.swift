import Foundation
import Glibc
import Testing
import WaybillAMQP

/// Certificates are checked before anything is said, so a server that speaks TLS and nothing else is enough.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: OpenSSL.path), "the openssl command is missing"))
struct TLSTests {
    private func open(_ host: String, _ port: Int, caFile: String?) -> AMQPError? {
        #expect(throws: AMQPError.self) {
            let endpoint = try AMQPEndpoint(
                url: "amqps://guest@\(host):\(port)/",
                caFile: caFile,
                connectionName: "AMQPTests"
            )
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

        let port = try freePort()
        let server = try start([
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
        ])
        defer {
            // The child may have inherited a mask that holds SIGTERM back.
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        let end = ContinuousClock.now + .seconds(20)
        while !isListening(port) {
            guard server.isRunning, ContinuousClock.now < end else { throw MissingEvent() }
            usleep(20_000)
        }
        try body(port, certificate)
    }

    /// A port that the system gave out and took back a moment ago.
    private static func freePort() throws -> Int {
        try withSocket { socket, address, length in
            guard bind(socket, address, length) == 0 else { throw MissingEvent() }
            var bound = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &bound) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
            return Int(UInt16(bigEndian: bound.sin_port))
        }
    }

    private static func isListening(_ port: Int) -> Bool {
        withSocket(port: port) { socket, address, length in connect(socket, address, length) == 0 }
    }

    private static func withSocket<R>(
        port: Int = 0,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> R
    ) rethrows -> R {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try withUnsafePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
