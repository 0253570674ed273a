import ArgumentParser
import Foundation
import Testing
import WaybillMongoTestSupport

@testable import waybill

/// What each command's help says of exit statuses, against what commands end with.
@Suite("Exit statuses in help")
struct ExitStatusHelpTests {
    private static let service = "0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10"
    private static let token = ["--token", String(repeating: "0", count: 64)]
    private static let noToken = ["--token", "no token"]

    /// Names that nobody has, and what cannot be one.
    static let unknown: [([String], Int32)] = [
        (["accounts", "show", "nobody.n"], 66), (["accounts", "suspend", "nobody.n"], 66),
        (["accounts", "resume", "nobody.n"], 66), (["accounts", "transfer", "nobody.n", "--to", "ada.l"], 66),
        (["accounts", "transfer", "n@example.com", "--to", "ada.l"], 65),
        (["services", "list", "--owner", "nobody.n"], 66), (["services", "list", "--owner", "n@example.com"], 65),
        (["services", "show", service], 66), (["services", "show", "nope"], 65),
        (["services", "suspend", service], 66), (["services", "suspend", "nope"], 65),
        (["services", "resume", service], 66), (["services", "resume", "nope"], 65),
        (["services", "transfer", service, "--to", "nobody.n"], 66),
        (["services", "transfer", "nope", "--to", "nobody.n"], 65),
        (["webhooks", "show", "we_0"], 66), (["webhooks", "test", "we_0"], 66), (["webhooks", "rotate", "we_0"], 66),
        (["webhooks", "replay", "we_0", "--failed"], 66), (["webhooks", "enable", "we_0"], 66),
        (["webhooks", "disable", "we_0"], 66), (["webhooks", "remove", "we_0"], 66),
        (["keys", "rotate", "key_0"], 66), (["keys", "revoke", "key_0"], 66),
        (["campaign", "preview", "nope"], 66), (["campaign", "test", "nope", "--user", "anna"], 66),
        (["campaign", "start", "nope"], 66), (["campaign", "show", "nope"], 66), (["campaign", "pause", "nope"], 66),
        (["campaign", "resume", "nope"], 66), (["campaign", "cancel", "nope"], 66),
        (["audience", "show", "nope"], 66), (["lanes", "pause", "nope"], 66), (["cancel", "nope", "--lift"], 66),
        (["cancel", "nope"], 66),
        (["devices", "show"] + token, 66), (["devices", "show"] + noToken, 65),
        (["devices", "enable"] + token, 66), (["devices", "enable"] + noToken, 65),
        (["devices", "disable"] + token, 66), (["devices", "disable"] + noToken, 65),
        (["devices", "list"] + noToken, 65), (["devices", "count"] + noToken, 65),
    ]

    @Test("help names the status with which a command ends for a name that nobody has", arguments: unknown)
    func named(arguments: [String], status: Int32) throws {
        #expect(try Self.statuses(of: arguments).contains(status), "\(arguments)")
    }

    @Test(
        "a command ends so for a name that nobody has",
        .enabled(if: TestDatabase.isAvailable),
        arguments: unknown
    )
    func ended(arguments: [String], status: Int32) throws {
        try TestDatabase.withDatabase { _, database in
            let url = try #require(TestDatabase.url)
            let store = ["--set", "store.url=\(url)", "--set", "store.database=\(database)"]
            let result = try Installation().run(arguments: arguments + store)
            #expect(result.status == status, "\(arguments): \(result.everything)")
        }
    }

    /// Of what has ended, or waits for nobody.
    @Test(
        "help names what a command of a campaign ends with",
        arguments: [
            ("create", [65]), ("preview", [65, 66, 68]), ("test", [65, 66, 68]), ("start", [65, 66, 68]),
            ("show", [65, 66, 68]), ("pause", [65, 66]), ("resume", [65, 66]), ("cancel", [65, 66]),
        ] as [(String, [Int32])]
    )
    func campaign(command: String, statuses: [Int32]) throws {
        #expect(try Self.statuses(of: ["campaign", command]).isSuperset(of: statuses))
    }

    @Test("every command's help says once how it ends")
    func everyCommand() {
        func visit(_ command: any ParsableCommand.Type, _ path: [String]) {
            let parts = command.configuration.discussion.components(separatedBy: "Exit status: 0 ")
            #expect(parts.count == 2, "\(path)")
            for next in command.configuration.subcommands { visit(next, path + [next._commandName]) }
        }
        visit(Waybill.self, [])
    }

    /// Those that the help of a command names, whose name begins a command line.
    private static func statuses(of arguments: [String]) throws -> Set<Int32> {
        var command: any ParsableCommand.Type = Waybill.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else {
                break
            }
            command = next
        }
        let paragraph = try #require(command.configuration.discussion.components(separatedBy: "Exit status: ").last)
        return Set(paragraph.components(separatedBy: ", ").compactMap { Int32($0.prefix { $0.isNumber }) })
    }
}
