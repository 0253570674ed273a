import Foundation
import Testing
import WaybillTestSupport

/// A folder with a configuration and a key, in which nothing can be reached: port 1 of this host answers nobody.
struct Installation {
    static let password = "canary-of-the-password"
    static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    let folder: TemporaryFolder
    let configuration: String

    /// Writes the files, with a part of the configuration exchanged; without `key`, the key is a good one.
    init(replacing old: String = "", with new: String = "", key: String? = nil, keyMode: Int = 0o600) throws {
        folder = try TemporaryFolder()
        if !old.isEmpty { try #require(Self.text.contains(old)) }
        configuration = try folder.write(
            "waybill.yaml",
            old.isEmpty ? Self.text : Self.text.replacingOccurrences(of: old, with: new)
        )
        _ = try folder.write("key.p8", try key ?? Self.key(curve: "P-256"), mode: keyMode)
    }

    /// Runs a command with the configuration.
    func run(_ arguments: String..., input: String = "") throws -> RunningWaybill.Result {
        try run(arguments: arguments, input: input)
    }

    /// The same with a list.
    func run(arguments: [String], input: String = "") throws -> RunningWaybill.Result {
        try RunningWaybill.run(arguments + ["--config", configuration], input: input)
    }

    /// A private key in PEM form.
    static func key(curve: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("key.pem", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", file,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private static let text = """
        broker:
          url: amqp://waybill:\(password)@127.0.0.1:1/
        store:
          url: mongodb://waybill:\(password)@127.0.0.1:1/?serverSelectionTimeoutMS=200&connectTimeoutMS=200
        retention:
          default: 30d
        lanes:
          - name: parcels
            bundle_id: com.example.parcels
            team_id: ABCDE12345
            key_id: ABC123DEFG
            key_file: key.p8
            endpoint: https://127.0.0.1:1

        """
}
