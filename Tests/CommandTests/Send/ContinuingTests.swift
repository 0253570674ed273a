import Testing
import WaybillCore
import WaybillOperations

@testable import waybill

@Suite("Continuing a run")
struct ContinuingTests {
    @Test("a run keeps the name and the time it is given, and makes its own otherwise")
    func runs() {
        let given = SendRun(batchID: "b", time: 5, now: 9_000)
        #expect((given.batchID, given.time, given.timeText) == ("b", 5, "1970-01-01T00:00:05Z"))
        let made = SendRun(batchID: nil, time: nil, now: 1_795_314_300_999)
        #expect(made.time == 1_795_314_300)
        #expect(made.batchID.count == 36)
        #expect(SendRun.time(made.timeText) == made.time)
        #expect(made.properties(messageID: "m").timestampMilliseconds == 1_795_314_300_000)
    }

    @Test(
        "times",
        arguments: [
            ("1970-01-01T00:00:05Z", 5), ("1970-01-01T01:00:05+01:00", 5), ("1970-01-01T00:00:05.000Z", 5),
            ("1970-01-01T00:00:05.001Z", nil), ("1969-12-31T23:59:59Z", nil), ("1970-01-01T00:00:05", nil),
            ("1970-01-01", nil), ("5", nil), ("2h", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func times(text: String, seconds: Int64?) {
        #expect(SendRun.time(text) == seconds)
    }

    @Test(
        "the command survives a shell",
        arguments: [
            ("a.ndjson", "a.ndjson"), ("my file.csv", "'my file.csv'"), ("it's", #"'it'\''s'"#), ("", "''"),
            ("$(reboot)", "'$(reboot)'"), ("ü", "'ü'"),
            ("a\nb'c\u{202e}\u{e0041}\\", #"$'a\x0ab\'c\u202e\U000e0041\\'"#),
            ("it's \u{2764}\u{fe0f}", "'it'\\''s \u{2764}\u{fe0f}'"),
        ]
    )
    func quoting(word: String, quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
    }

    @Test("what is confirmed at the beginning is left out by the next run")
    func skipping() {
        let run = SendRun(batchID: "b", time: 5, now: 0)
        let command = ContinuingCommand(arguments: ["a.ndjson", "--lane", "x"])
        #expect(
            command.text(run: run, done: 0) == "waybill send a.ndjson --lane x --batch-id b --at 1970-01-01T00:00:05Z"
        )
        #expect(command.text(run: run, done: 7).hasSuffix(" --skip 7"))
    }
}
