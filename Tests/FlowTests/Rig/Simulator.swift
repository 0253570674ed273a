import Foundation
import Testing

/// A running `apns-simulator` and what it has received.
final class Simulator: Sendable {
    /// One line of the simulator's record file.
    struct Received: Decodable {
        let token: String?
        let headers: [String: String]
        let payload: String?
        let status: Int?
        let reason: String?

        var apnsID: String? { headers["apns-id"] }

        enum CodingKeys: String, CodingKey {
            case token = "device_token"
            case headers, payload, status, reason
        }
    }

    let port: Int
    private let program: Program
    private let record: URL

    /// Starts a simulator in a folder that holds credentials; several may share one.
    ///
    /// `rules` is the text of a rules file (`schemas/simulator-rules.schema.json`).
    init(in folder: URL, name: String = "simulator", rules: String? = nil, arguments: [String] = []) async throws {
        record = folder.appendingPathComponent("\(name).ndjson")
        let portFile = folder.appendingPathComponent("\(name).port")
        var options = [
            "--port", "0", "--port-file", portFile.path, "--record", record.path, "--certificate",
            folder.appendingPathComponent("server.pem").path, "--private-key",
            folder.appendingPathComponent("server-key.pem").path, "--key-id", "ABC123DEFG", "--team-id", "ABCDE12345",
            "--public-key", folder.appendingPathComponent("AuthKey_ABC123DEFG.pub.pem").path,
        ]
        if let rules {
            let file = folder.appendingPathComponent("\(name).rules.json")
            try rules.write(to: file, atomically: true, encoding: .utf8)
            options += ["--rules", file.path]
        }
        let program = try Program("apns-simulator", options + arguments)
        self.program = program
        var port: Int?
        try await eventually("the simulator listens: \(program.errorText)") {
            port = (try? String(contentsOf: portFile, encoding: .utf8)).flatMap {
                Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return port != nil
        }
        self.port = port ?? 0
    }

    /// Makes the certificate authority, the server's certificate and the provider key in a folder.
    static func makeCredentials(in folder: URL) throws {
        let result = try Program.run("apns-simulator", ["make-credentials", folder.path])
        guard result.status == 0 else { throw RigError("make-credentials: \(result.errors)") }
    }

    /// Everything received so far; the simulator writes its record file at least once a second.
    func received() throws -> [Received] {
        guard let text = try? String(contentsOf: record, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n", omittingEmptySubsequences: true).compactMap { line in
            // The last line may be half written.
            guard line.hasSuffix("}") else { return nil }
            return try JSONDecoder().decode(Received.self, from: Data(line.utf8))
        }
    }

    /// Ends the simulator, so that its record file is complete.
    ///
    /// - Returns: its closing words.
    @discardableResult
    func stop() -> String {
        program.signal(SIGTERM)
        return program.wait().errors
    }
}
