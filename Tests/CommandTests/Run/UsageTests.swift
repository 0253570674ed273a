import Foundation
import Testing

@Suite("Usage")
struct UsageTests {
    private static let commands = [
        "init", "check", "dispatch", "prune", "send", "logs", "devices", "rejected", "version",
    ]

    @Test("every command's help names examples of itself", arguments: commands)
    func help(command: String) throws {
        let result = try RunningWaybill.run([command, "--help"])
        #expect(result.status == 0)
        let examples = try #require(result.output.components(separatedBy: "Examples:").dropFirst().first)
        #expect(examples.contains("waybill \(command)"))
    }

    @Test("the help of the whole names every command")
    func wholeHelp() throws {
        let result = try RunningWaybill.run(["--help"])
        #expect(result.status == 0)
        for command in Self.commands { #expect(result.output.contains("\n  \(command) ")) }
    }

    @Test(
        "wrong usage: 64 and a word on standard error",
        arguments: [
            ["sned"], ["send"], ["send", "-"], ["send", "a.txt"], ["send", "a.csv", "--batch-size", "0"],
            ["send", "a.csv", "--rate", "fast"], ["send", "a.csv", "--raw", "--dry-run"], ["logs", "--limit", "0"],
            ["logs", "--token", "xyz"], ["logs", "--outcome", "lost"], ["logs", "--since", "soon"],
            ["logs", "--since", "2026-11-21", "--until", "2026-11-20"], ["logs", "--story", "--json"],
            ["devices", "--limit", "0"], ["rejected", "--limit", "10001"], ["check", "--set", "nothing"],
            ["dispatch", "--log-level", "loud"],
        ]
    )
    func wrongUsage(arguments: [String]) throws {
        let result = try RunningWaybill.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Error: "))
    }

    @Test("the version for programs is one JSON object")
    func version() throws {
        let result = try RunningWaybill.run(["version", "--json"])
        #expect(result.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: String]
        let version = try #require(object?["version"])
        #expect(version.split(separator: ".").count == 3)
        #expect(try RunningWaybill.run(["--version"]).output == version + "\n")
        #expect(try RunningWaybill.run(["version"]).output.hasPrefix("waybill \(version) "))
    }
}
