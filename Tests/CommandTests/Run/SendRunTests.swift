import TestSupport
import Testing

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
            "--json",
            input: "\(Self.good)\n\(Self.good)\n"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == #"{"messages":1,"notifications":2,"confirmed":0,"dry_run":true}"# + "\n")
    }

    @Test(
        "bad input: 65, with line and field on standard error",
        arguments: [
            ("ndjson", "\(good)\n\n{\"device_token\":\"zz\",\"message\":\"a\"}\n", "line 3: device_token: "),
            ("ndjson", "\(good)\n{\"device_token\":\n", "line 2: "),
            ("csv", "device_token,message\n\(Installation.token),\"a\nb\"\nzz,c\n", "line 4: device_token: "),
            ("csv", "message\nHello\n", "line 2: device_token: "),
            ("csv", "device_tokn\nzz\n", "line 1: column 1 is no field of a notification; did you mean device_token?"),
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

    @Test("input that cannot be read: 66")
    func noInput() throws {
        let installation = try Installation()
        for file in ["\(installation.folder.path)/none.csv", installation.folder.path] {
            let result = try installation.run("send", file, "--format", "csv", "--dry-run")
            #expect(result.status == 66)
            #expect(result.errors.contains(file))
        }
    }

    @Test("a lane that is not configured is named with those that are")
    func unknownLane() throws {
        let result = try Installation().run("send", "-", "--format", "ndjson", "--lane", "letters", input: Self.good)
        #expect(result.status == 65)
        #expect(result.errors.contains("there is no lane letters; configured: parcels"))
    }
}
