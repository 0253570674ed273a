import Foundation
import Testing
import WaybillTestSupport

/// `deploy/users/rabbitmq.sh`, with a stand-in for rabbitmqctl.
@Suite("The script that makes the broker's users")
struct UsersScriptTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../deploy/users/rabbitmq.sh").standardized.path

    /// Keeps the users in a file, and notes each call.
    private static let control = #"""
        #!/usr/bin/env bash
        here=$(dirname "$0")
        echo "$*" >>"$here/calls"
        case $2 in
            list_users) cat "$here/users" 2>/dev/null || true ;;
            add_user) read -r password && printf '%s\t[]\n' "$3" >>"$here/users" && echo "$3 $password" >>"$here/given" ;;
        esac
        """#

    private static func run(_ folder: TemporaryFolder, _ arguments: String...) throws -> String {
        let output = try folder.write("out", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", script, "\(folder.path)/passwords"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "RABBITMQCTL": try folder.write("control", control, mode: 0o700)
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    private static func passwords(_ folder: TemporaryFolder) throws -> [String: String] {
        let passwords = URL(fileURLWithPath: "\(folder.path)/passwords")
        return try FileManager.default.contentsOfDirectory(atPath: passwords.path).reduce(into: [:]) { found, name in
            found[name] = try String(contentsOf: passwords.appendingPathComponent(name), encoding: .utf8)
        }
    }

    @Test("passwords of one prefix outlive the users of another, and a user that is made again gets the one it had")
    func passwords() throws {
        let folder = try TemporaryFolder()
        _ = try Self.run(folder)
        let first = try Self.passwords(folder)
        #expect(first.keys.contains("waybill-dispatch-broker-password"))
        let output = try Self.run(folder, "/", "shop.push")
        let both = try Self.passwords(folder)
        #expect(both.count == 2 * first.count)
        #expect(both.filter { first.keys.contains($0.key) } == first)
        #expect(output.contains(#"shop.push-send: configure ^$, write ^shop\.push\.in$, read ^$"#))
        #expect(!output.contains(" ^waybill"))
        // The broker has lost its users; the files have not.
        try FileManager.default.removeItem(atPath: "\(folder.path)/users")
        _ = try Self.run(folder)
        #expect(try Self.passwords(folder) == both)
        let given = try String(contentsOfFile: "\(folder.path)/given", encoding: .utf8)
        let password = try #require(first["waybill-send-broker-password"])
        #expect(given.components(separatedBy: "waybill-send \(password)").count == 3)
    }
}
