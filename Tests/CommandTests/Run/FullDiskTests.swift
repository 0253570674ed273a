import Testing

@testable import waybill

@Suite("What cannot be written is said")
struct FullDiskTests {
    @Test(
        arguments: [
            ["version"], ["version", "--json"], ["--version"], ["--help"], ["logs", "--help"], ["help", "send"],
            ["--generate-completion-script", "bash"],
        ]
    )
    func aCommandThatNeedsNothing(arguments: [String]) throws {
        let result = try RunningWaybill.run(arguments, into: "/dev/full")
        #expect(result.status == 69)
        #expect(result.errors == "waybill: cannot write standard output: No space left on device\n")
    }

    @Test func aBatchThatIsOnlyLookedAt() throws {
        let item = #"{"device_token":"\#(Installation.token)","message":"Hello"}"#
        let arguments = ["send", "-", "--format", "ndjson", "--lane", "parcels", "--dry-run", "--json"]
        let whole = try Installation().run(arguments: arguments, input: item + "\n")
        #expect(whole.status == 0, "\(whole.errors)")
        let installation = try Installation()
        let lost = try RunningWaybill.run(
            arguments + ["--config", installation.configuration],
            input: item + "\n",
            into: "/dev/full"
        )
        #expect(lost.status == 69)
        #expect(lost.errors.contains("waybill: cannot write standard output: No space left on device\n"))
    }

    /// Nobody reads what a fault of its own would say; the fault itself is told, and the status is the command's.
    @Test func aCommandThatFailsKeepsItsStatus() throws {
        let result = try RunningWaybill.run(["logs", "--sinse", "1h"], into: "/dev/full")
        #expect(result.status == 64)
        #expect(!result.errors.contains("cannot write"))
    }
}
