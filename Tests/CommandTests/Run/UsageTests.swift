import Foundation
import Testing
import WaybillTestSupport

@testable import waybill

@Suite("Usage")
struct UsageTests {
    private static let commands = [
        "version", "init", "check", "keys", "accounts", "services", "webhooks",
        "run", "dispatch", "prune", "fanout", "schedule", "serve", "hooks", "status", "top",
        "send", "notify", "audience", "campaign", "explain", "logs", "export", "stats", "devices", "rejected", "lanes",
        "cancel",
    ]

    @Test("every command's help names examples of itself", arguments: commands)
    func help(command: String) throws {
        let result = try RunningWaybill.run([command, "--help"])
        #expect(result.status == 0)
        // Before anything else: what most people look for.
        let start = try #require(result.output.components(separatedBy: "\n\n").dropFirst().first)
        #expect(start.hasPrefix("Examples:\n  waybill \(command)"))
    }

    @Test("a token is read from standard input, where nobody else sees it")
    func tokenFromInput() throws {
        let result = try RunningWaybill.run(["logs", "--token", "-"], input: "xyz\n")
        #expect(result.status == 64)
        #expect(result.errors.contains("a token has 2 to 400 hexadecimal digits"))
        #expect(result.errors.contains("The value on standard input is invalid for '--token"), "\(result.errors)")
        // One that can be a token is looked for: the next thing that is missing is a configuration.
        let known = try RunningWaybill.run(["logs", "--token", "-"], input: "00FF\n")
        #expect(known.status != 64)
    }

    @Test(
        "of several tokens on standard input none is taken, and none is shown",
        arguments: [
            ["logs", "--token", "-"], ["export", "--token", "-", "--output", "FILE"], ["devices", "--token", "-"],
            ["devices", "show", "--token", "-"], ["explain", "-"],
        ]
    )
    func severalTokens(arguments: [String]) throws {
        let token = String(repeating: "0123abcd", count: 8)
        let installation = try Installation()
        let arguments = arguments.map { $0 == "FILE" ? "\(installation.folder.path)/records.ndjson" : $0 }
        let result = try installation.run(arguments: arguments, input: "\n\(token)\n\(token)\n")
        #expect(result.status == 64)
        #expect(result.errors.contains("standard input has more than one line"))
        #expect(!result.everything.contains("0123abcd"))
        // Empty lines are none: the next thing that is amiss is a store that cannot be reached.
        let single = try installation.run(arguments: arguments, input: "\n\(token)\n\n")
        #expect(single.status == 69, "\(single.errors)")
    }

    @Test("what may be a mistyped token is no batch, and is not shown", arguments: ["<%>", "0x%", "%a", "%,"])
    func mistypedToken(form: String) throws {
        let token = String(repeating: "0123abcd", count: 8)
        let text = form.replacingOccurrences(of: "%", with: token)
        for (arguments, input) in [(["explain", "-"], text + "\n"), (["explain", text], "")] {
            let result = try Installation().run(arguments: arguments, input: input)
            #expect(result.status == 65)
            #expect(result.errors.contains("that is not a token"))
            #expect(!result.everything.contains("0123abcd"))
        }
    }

    @Test(
        "what is wrong with a secret is said without it",
        arguments: [
            ["logs", "--token", "%"], ["logs", "--token=%"], ["export", "--token", "%", "--output", "a"],
            ["logs", "%"], ["logs", "--outcome", "lost", "%"],
            ["devices", "show", "--token", "00ff", "--token", "%", "x%"],
            ["notify", "--key", "%", "--body", "a", "%"], ["notify", "--key=%"], ["status", "%", "%"],
            ["check", "--set", "store.password %"], ["check", "--set", "amqp://waybill:%@broker"],
        ]
    )
    func secrets(arguments: [String]) throws {
        let secret = "<" + String(repeating: "0123abcg", count: 12)
        let given = arguments.map { $0.replacingOccurrences(of: "%", with: secret) }
        let result = try RunningWaybill.run(given)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("Error: "))
        #expect(!result.everything.contains("0123abc"), "\(result.errors)")
    }

    @Test("a short one, too, and what is said of other options is said in full")
    func shortSecrets() throws {
        let short = try RunningWaybill.run(["logs", "--token", "xyz"]).errors
        #expect(short.contains("The value '…' is invalid for '--token <hex>': a token has 2 to 400"), "\(short)")
        let other = try RunningWaybill.run(["logs", "--since", "xyz"]).errors
        #expect(other.contains("The value 'xyz' is invalid for '--since <time>'"), "\(other)")
    }

    @Test("the help of the whole names every command, and these tests know all of them")
    func wholeHelp() throws {
        let result = try RunningWaybill.run(["--help"])
        #expect(result.status == 0)
        let listed = result.output.components(separatedBy: "SUBCOMMANDS:").dropFirst().joined()
        #expect(listed.matches(of: #/\n  ([a-z]+) /#).map { String($0.output.1) } == Self.commands)
    }

    @Test(
        "wrong usage: 64 and a word on standard error",
        arguments: [
            ["sned"], ["send"], ["send", "-"], ["send", "a.txt"], ["send", "a.csv", "--batch-size", "0"],
            ["send", "a.csv", "--rate", "fast"], ["send", "a.csv", "--raw", "--dry-run"], ["logs", "--limit", "0"],
            ["logs", "--token", "xyz"], ["logs", "--outcome", "lost"], ["logs", "--since", "soon"],
            ["logs", "--since", "2026-11-21", "--until", "2026-11-20"], ["logs", "--story", "--json"],
            ["devices", "--limit", "0"], ["rejected", "--limit", "10001"], ["check", "--set", "nothing"],
            ["dispatch", "--log-level", "loud"], ["rejected", "drop", "--all"], ["rejected", "drop", "--id", "a"],
            ["send", "a.csv", "--client", ""], ["send", "a.csv", "--batch-id", ""], ["send", "a.csv", "--lane", ""],
            ["send", "a.csv", "--skip", "-1"], ["logs", "--limit", "-3"], ["rejected", "--limit", "-3"],
            ["keys", "create", "--name", "a", "--role", "reader"], ["keys", "rotate", "key_a", "--overlap", "2h"],
            ["keys", "create", "--name", "a", "--role", "king", "--all-clients"], ["keys", "revoke"],
            ["accounts", "show"], ["accounts", "show", "ada@example.com"], ["accounts", "list", "--limit", "0"],
            ["accounts", "list", "--state", "gone"], ["accounts", "suspend"],
            ["keys", "create", "--name", "a", "--role", "reader", "--all-clients", "--client", "b"],
            ["stats", "--every", "90s"], ["stats", "--every", "0m"], ["stats", "--by", "batch"],
            ["stats", "--recount"], ["cancel"], ["cancel", "--list", "parcels-7"], ["cancel", "--json", "parcels-7"],
            ["rejected", "replay", "--reason", "unknwon_lane"],
            ["stats", "--json", "--csv"], ["stats", "--outcome", "deferred"],
            ["stats", "--since", "1h", "--until", "2h"],
            ["devices", "import", "a.csv", "--registered-at", "2126-01-01"],
            ["devices", "register", "--app", "a", "--token", "-", "--registered-at", "2126-01-01"],
        ]
    )
    func wrongUsage(arguments: [String]) throws {
        let result = try RunningWaybill.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Error: "))
    }

    @Test("a screen that is renewed needs a terminal: without one 64, and what is for scripts")
    func top() throws {
        let result = try Installation().run("top")
        #expect(result.status == 64)
        #expect(result.errors.contains("waybill status is for files and scripts"))
    }

    @Test("what is wrong is said once, with the option", arguments: ["--limit=-3", "--limit -3", "--limit 0"])
    func oneSentence(option: String) throws {
        let result = try RunningWaybill.run(["logs"] + option.split(separator: /[ =]/).map(String.init))
        #expect(result.status == 64)
        #expect(result.errors.contains("'--limit <n>': use 1 or more"))
    }

    @Test(
        "a word that is none of a few is named once, with the few",
        arguments: [
            (["check", "--as", "foo"], "'--as <role>'"),
            (["dispatch", "--log-level", "loud"], "'--log-level <level>'"),
        ]
    )
    func oneOfAFew(arguments: [String], option: String) throws {
        let errors = try RunningWaybill.run(arguments).errors
        let line = try #require(errors.split(separator: "\n").first { $0.hasPrefix("Error: ") })
        #expect(line.contains(option) && line.contains("use "))
        #expect(line.components(separatedBy: "invalid for").count == 2, "\(line)")
    }

    @Test("no example of the help is broken in the middle", arguments: [[]] + commands.map { [$0] })
    func examples(command: [String]) throws {
        let help = try RunningWaybill.run(command + ["--help"]).output
        let examples = try #require(help.components(separatedBy: "Examples:\n").dropFirst().first)
        for line in examples.components(separatedBy: "\n\n")[0].split(separator: "\n") {
            #expect(line.hasPrefix("  "), "\(line)")
        }
    }

    @Test(
        "a command's help ends with its exit statuses",
        arguments: [
            ("send", "66 an input is not there"), ("status", "0 healthy"), ("status", "75 degraded"),
            ("check", "78 the configuration must change"), ("lanes", "66 an input is not there"),
            ("dispatch", "78 configuration"), ("version", "0 done"), ("version", "64 usage"),
            ("notify", "65 bad input"), ("explain", "66 nothing found"),
        ]
    )
    func exitStatusesOfCommands(command: String, words: String) throws {
        let help = try RunningWaybill.run([command, "--help"]).output.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let statuses = try #require(help.components(separatedBy: "Exit status: ").dropFirst().first)
        #expect(statuses.contains(words), "\(statuses.prefix(200))")
    }

    @Test(
        "filters that leave out what they ask for",
        arguments: [
            ["logs", "--lane", "a", "--lane", "!a"], ["stats", "--push-type", "alert", "--push-type", "!alert"],
            ["logs", "--outcome", "accepted", "--outcome", "!accepted"],
        ]
    )
    func contradictions(command: [String]) throws {
        let result = try RunningWaybill.run(command)
        #expect(result.status == 64)
        #expect(result.errors.contains("leaves it out with '!': nothing can match"), "\(result.errors)")
    }

    @Test("the help of the whole lists every exit status that occurs")
    func exitStatuses() throws {
        let help = try RunningWaybill.run(["--help"]).output.split(whereSeparator: \.isWhitespace).map(String.init)
        let statuses: [waybill.ExitStatus] = [
            .badInput, .noInput, .unavailable, .software, .temporary, .permission, .configuration,
        ]
        for status in [0, 64] + statuses.map(\.rawValue) { #expect(help.contains("\(status)"), "\(status)") }
    }

    @Test("the simulator's help names the options of docs/operations/troubleshoot.md")
    func simulatorHelp() throws {
        let help = try RunningWaybill.run(["--help"], program: "apns-simulator").output
        for option in [
            "port", "certificate", "private-key", "key-id", "team-id", "public-key", "record", "rules", "seed",
        ] {
            #expect(help.contains("--\(option) "))
        }
    }

    @Test("the version for programs is one JSON object")
    func version() throws {
        let result = try RunningWaybill.run(["version", "--json"])
        #expect(result.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: String]
        let version = try #require(object?["version"])
        #expect(version.split(separator: ".").count == 3)
        #expect(try RunningWaybill.run(["--version"]).output == version + "\n")
        let text = try RunningWaybill.run(["version"]).output
        #expect(text.hasPrefix("waybill \(version) "))
        for library in ["libmongoc", "librabbitmq", "nghttp2", "openssl", "libcurl", "zlib", "argon2"] {
            let version = try #require(object?[library])
            #expect(version.contains(/^[0-9]+\.[0-9]+/))
            #expect(text.contains("\(library) \(version)"))
        }
    }
}
