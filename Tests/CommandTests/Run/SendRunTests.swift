import Foundation
import Testing
import WaybillTestSupport

@Suite("waybill send, run")
struct SendRunTests {
    private static let good = #"{"device_token":"\#(Installation.token)","message":"Hello"}"#

    @Test("a dry run of good input reaches nothing and exits 0")
    func dryRun() throws {
        let result = try Installation().run(
            "send",
            "-",
            "--format",
            "ndjson",
            "--dry-run",
            "--batch-id",
            "night 7",
            "--at",
            "2026-11-22T03:25:00+01:00",
            "--json",
            input: "\u{FEFF}\(Self.good)\n\(Self.good)\n"
        )
        #expect(result.status == 0, "\(result.errors)")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        )
        #expect(summary["messages"] as? Int == 1)
        #expect(summary["notifications"] as? Int == 2)
        #expect(summary["confirmed"] as? Int == 0)
        #expect(summary["dry_run"] as? Bool == true)
        #expect(summary["batch_id"] as? String == "night 7")
        #expect(summary["at"] as? String == "2026-11-22T02:25:00Z")
        let batches = try #require(summary["batches"] as? [[String: Any]])
        #expect(batches.map { $0["batch_id"] as? String } == ["night 7"])
        #expect((batches.first?["apns_ids"] as? [String])?.count == 2)
        let command = try #require(summary["command"] as? String)
        #expect(command.hasPrefix("waybill send - --format ndjson --config "))
        #expect(command.hasSuffix(" --batch-id 'night 7' --at 2026-11-22T02:25:00Z"))
    }

    @Test(
        "bad input: 65, with line and field on standard error",
        arguments: [
            ("ndjson", "\(good)\n\n{\"device_token\":\"zz\",\"message\":\"a\"}\n", "line 3: device_token: "),
            ("ndjson", "\(good)\n{\"device_token\":\n", "line 2: "),
            ("csv", "device_token,message\n\(Installation.token),\"a\nb\"\nzz,c\n", "line 4: device_token: "),
            ("csv", "message\nHello\n", "line 2: device_token: "),
            (
                "csv", "device_tokn\nzz\n",
                "line 1: column 1 (device_tokn) is not a field of a notification; did you mean device_token? Known"
            ),
            ("csv", "", "line 1: the header is missing"),
            (
                "json", "[\n\(good),\n{\"device_token\":\"zz\",\"message\":\"a\"}]\n",
                "line 3: notification 1: device_token: "
            ),
            ("json", "[\n\(good)\n", "line 3: "),
        ]
    )
    func badInput(format: String, input: String, message: String) throws {
        let result = try Installation().run("send", "-", "--format", format, "--dry-run", input: input)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("waybill send: standard input: \(message)"), "\(result.errors)")
        #expect(result.errors.contains("nothing was published"))
        #expect(!result.errors.contains(Installation.token))
    }

    @Test("the same input, name and time give the same ids, in every form; another name or time gives others")
    func ids() throws {
        let installation = try Installation()
        func ids(_ arguments: [String], _ format: String, _ input: String) throws -> [String] {
            let result = try installation.run(
                arguments: ["send", "-", "--format", format, "--dry-run", "--ids"] + arguments,
                input: input
            )
            #expect(result.status == 0, "\(result.errors)")
            return result.output.split(separator: "\n").map(String.init)
        }
        let lines = "\(Self.good)\n\(Self.good)\n\(Self.good)\n"
        let run = ["--batch-id", "b", "--at", "2026-11-22T02:25:00Z"]
        for (format, input) in [
            ("ndjson", lines), ("json", "[\(Self.good),\(Self.good)]"), ("csv", "device_token,message\n00,a\n"),
        ] {
            let first = try ids(run + ["--batch-size", "2"], format, input)
            #expect(try ids(run + ["--batch-size", "2"], format, input) == first)
            let others = try ids(["--batch-id", "c"] + run.dropFirst(2) + ["--batch-size", "2"], format, input)
            let later = try ids(
                ["--batch-id", "b", "--at", "2026-11-22T02:25:01Z", "--batch-size", "2"],
                format,
                input
            )
            func last(_ lines: [String]) -> Set<Substring> { Set(lines.compactMap { $0.split(separator: "\t").last }) }
            #expect(last(first).count == first.count)
            #expect(last(first).isDisjoint(with: last(others)))
            #expect(last(first).isDisjoint(with: last(later)))
        }
        let named = try ids(run + ["--batch-size", "2"], "ndjson", lines).map { $0.split(separator: "\t").prefix(2) }
        #expect(named == [["b.1", "0"], ["b.1", "1"], ["b.2", "0"]])
    }

    @Test(
        "times that cannot be a message's own",
        arguments: ["2026-11-22", "2026-11-22T02:25:00.5Z", "2h", "2999-01-01T00:00:00Z"]
    )
    func times(text: String) throws {
        let result = try Installation().run("send", "-", "--format", "ndjson", "--at", text, input: Self.good)
        #expect(result.status == 64)
        #expect(result.errors.contains("--at"))
    }

    @Test("input that cannot be read: 66")
    func noInput() throws {
        let installation = try Installation()
        for file in ["\(installation.folder.path)/none.csv", installation.folder.path] {
            let result = try installation.run("send", file, "--format", "csv", "--dry-run")
            #expect(result.status == 66)
            #expect(result.errors.contains(file))
        }
    }

    @Test(
        "what may ring hours later is told, and nothing else",
        arguments: [
            (#""delivery_type":"critical","message":"Fire""#, false),
            (#""delivery_type":"critical","message":"Fire","expiration":0"#, true),
            (#""delivery_type":"critical","message":"Fire","expiration":null"#, true),
            (#""payload":{"aps":{"interruption-level" : "critical","sound":{"critical":1}}}"#, true),
            (#""delivery_type":"critical","message":"Fire","expiration":1990000300"#, false),
            (#""delivery_type":"critical","message":"Fire","max_age":300"#, false),
            (#""message":"This is critical""#, false), (#""delivery_type":"time_sensitive","message":"Fire""#, false),
        ]
    )
    func criticalWithoutEnd(members: String, isTold: Bool) throws {
        let line = #"{"device_token":"\#(Installation.token)",\#(members)}"#
        let result = try Installation().run(
            "send",
            "-",
            "--format",
            "ndjson",
            "--dry-run",
            input: "\(line)\n\(Self.good)\n"
        )
        #expect(result.status == 0, "\(result.errors)")
        let words = "waybill send: 1 critical notification has neither a time in expiration nor a max_age"
        #expect(result.errors.contains(words) == isTold, "\(result.errors)")
    }

    @Test("a client that the configuration does not name is told, and which one may be meant")
    func unnamedClient() throws {
        let installation = try Installation(replacing: "  default: 30d", with: "  default: 30d\n  clients: {acme: 90d}")
        func errors(_ arguments: String..., input: String = Self.good) throws -> String {
            let words = ["send", "-", "--dry-run"] + arguments
            return try installation.run(arguments: words, input: input).errors
        }
        let words = "the configuration names no client acm: its records are kept forever; did you mean acme?"
        #expect(try errors("--format", "ndjson", "--client", "acm").contains(words))
        #expect(try !errors("--format", "ndjson", "--client", "acme").contains("names no client"))
        #expect(try !errors("--format", "ndjson").contains("names no client"))
        let own = #"{"client":"acm","notifications":[\#(Self.good)]}"#
        #expect(try errors("--format", "json", input: own).contains(words))
    }

    @Test("bytes that dispatchers reject are published, and why they do so is told before")
    func raw() throws {
        let body = #"{"lane":"letters","notifications":[\#(Self.good)]}"#
        let errors = try Installation().run("send", "-", "--raw", input: body).errors
        let words =
            "reject it as unknown_lane (lane: letters is not configured; configured: parcels), and waybill rejected has it then"
        #expect(errors.contains(words), "\(errors)")
    }

    @Test("a lane that is not configured is named with those that are")
    func unknownLane() throws {
        let result = try Installation().run("send", "-", "--format", "ndjson", "--lane", "letters", input: Self.good)
        #expect(result.status == 65)
        #expect(result.errors.contains("lane letters is not configured; configured: parcels"))
    }
}
