import Testing
import WaybillTestSupport

/// What docs/operations/service.md says of exit statuses, of every command that ends by itself.
@Suite("Exit statuses")
struct ExitStatusTests {
    private static let address = ["--app", "a", "--environment", "production", "--token", "aa"]
    private static let commands: [[String]] = [
        ["init"], ["check"], ["logs"], ["stats"], ["explain", "parcels-7"], ["status"],
        ["export", "--output", "FILE"], ["cancel", "parcels-7"], ["cancel", "--list"], ["lanes"],
        ["lanes", "pause", "parcels"], ["lanes", "resume", "parcels"], ["devices"], ["devices", "list"],
        ["devices", "count"], ["devices", "show", "--token", "aa"], ["devices", "register"] + address,
        ["devices", "enable"] + address, ["devices", "disable"] + address, ["devices", "upgrade"], ["rejected"],
        ["rejected", "list"], ["rejected", "show", "a"], ["rejected", "replay", "--all"],
        ["rejected", "drop", "--all", "--yes"], ["keys", "list"],
        ["keys", "create", "--name", "a", "--role", "reader", "--all-clients"], ["keys", "rotate", "key_a"],
        ["keys", "revoke", "key_a"], ["audience", "count", "--app", "a"], ["audience", "show", "a"],
        ["audience", "cancel", "a"], ["campaign", "list"], ["campaign", "show", "a"], ["campaign", "preview", "a"],
        ["campaign", "start", "a"], ["campaign", "cancel", "a"], ["campaign", "test", "a", "--user", "b"],
        ["audience", "send", "--id", "a", "--client", "a", "--app", "a", "--message", "a", "--dry-run"],
        ["accounts"], ["accounts", "list"], ["accounts", "show", "ada.l"], ["accounts", "suspend", "acc_a"],
        ["accounts", "resume", "acc_a"],
    ]

    @Test("66 is named where a cancellation is lifted")
    func liftedCancellation() throws {
        let help = try RunningWaybill.run(["cancel", "--help"]).everything
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("66 nothing is known of the batch or there is no such cancellation to lift"), "\(help)")
    }

    @Test("69 where broker and store are away", arguments: commands)
    func serversAreAway(command: [String]) throws {
        let installation = try Installation()
        let file = "\(installation.folder.path)/records.ndjson"
        let result = try installation.run(arguments: command.map { $0 == "FILE" ? file : $0 })
        #expect(result.status == 69, "\(result.everything)")
    }

    @Test("78 where there is no such configuration", arguments: commands + [["send", "a.csv"], ["top"]])
    func noConfiguration(command: [String]) throws {
        let result = try RunningWaybill.run(command + ["--config", "/nowhere/waybill.yaml"])
        #expect(result.status == 78, "\(result.everything)")
        #expect(result.everything.contains("/nowhere/waybill.yaml"))
    }

    @Test("78, and no crash, without /proc", .enabled(if: RunningWaybill.mayUnmount, "needs the right to unmount"))
    func withoutProc() throws {
        let result = try RunningWaybill.run(["status"], withoutProc: true)
        #expect(result.status == 78, "\(result.everything)")
        #expect(result.errors.contains("mount proc at /proc"))
        #expect(result.output.isEmpty)
    }

    @Test(
        "66 where a file to be read is not there, 69 where one cannot be written",
        arguments: [
            (["send", "/nowhere/a.csv"], 66), (["explain", "--file", "/nowhere/a"], 66),
            (["devices", "import", "/nowhere/a.csv", "--dry-run"], 66), (["audience", "send", "/nowhere/a"], 66),
            (["export", "--output", "/nowhere/a.ndjson"], 69),
        ] as [([String], Int32)]
    )
    func files(command: [String], status: Int32) throws {
        let result = try Installation().run(arguments: command)
        #expect(result.status == status, "\(result.everything)")
        #expect(result.errors.contains("/nowhere/a"))
    }
}
