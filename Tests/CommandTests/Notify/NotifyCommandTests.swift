import Testing
import WaybillTestSupport

/// What needs no server; what a server says is the fault case `notifire-notify`.
@Suite("Notify")
struct NotifyCommandTests {
    private static let key = String(repeating: "0", count: 64)
    /// Nobody answers there.
    private static let nowhere = ["--apiurl", "http://127.0.0.1:1"]

    @Test(
        "64 for what cannot be asked",
        arguments: [
            nowhere + ["--key", key], nowhere + ["--body", "x"], ["--key", key, "--body", "x"],
            nowhere + ["--key", key, "--body", ""], nowhere + ["--key", key, "--body", "x", "--level", "4"],
            nowhere + ["--key", key, "--body", "x", "--level", "loud"],
            nowhere + ["--key", key, "--key-file", "key", "--body", "x"],
            nowhere + ["--key", key, "--body", "x", "--level", "critical"],
            nowhere + ["--key", "wbk_live_x\r\nHost: elsewhere", "--body", "x"],
        ]
    )
    func usage(arguments: [String]) throws {
        let result = try RunningWaybill.run(["notify"] + arguments)
        #expect(result.status == 64, "\(result.everything)")
        #expect(!result.everything.contains("Sending"))
    }

    @Test(
        "64 for a key that is not whole, without asking a server",
        arguments: [
            "wbk_live_x", "wbk_0123456789", "wbk_live_" + String(repeating: "a", count: 36),
        ]
    )
    func malformedKey(key: String) throws {
        let result = try RunningWaybill.run(["notify"] + Self.nowhere + ["--key", key, "--body", "x"])
        #expect(result.status == 64, "\(result.everything)")
        #expect(result.errors.contains("the key is not well-formed") && !result.everything.contains(key))
        #expect(!result.everything.contains("Authorization"))
    }

    @Test("69 where nobody answers, in the words of the thesis' program, none of which a script takes for an id")
    func nobodyAnswers() throws {
        let result = try RunningWaybill.run(["notify"] + Self.nowhere + ["--key", Self.key, "--body", "x"])
        #expect(result.status == 69)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Sending notification.\nError: "))
        #expect(!result.everything.contains(Self.key))
    }

    @Test(
        "64 for a server to which the key would go in clear",
        arguments: [
            "http://push.example.com", "http://192.0.2.1:80", "http://localhost.example.com", "push.example.com",
            "ftp://push.example.com", "https://", "http://anna:secret@push.example.com",
        ]
    )
    func inClear(url: String) throws {
        let result = try RunningWaybill.run(["notify", "--apiurl", url, "--key", Self.key, "--body", "x"])
        #expect(result.status == 64, "\(result.everything)")
        #expect(!result.everything.contains("Sending") && !result.everything.contains("secret"))
    }

    @Test("what is said of a server does not repeat a password, and --allow-http is heard")
    func saidOfAServer() throws {
        for url in ["http://anna:secret@127.0.0.1:1", "http://anna:secret@localhost:1"] {
            let arguments = ["notify", "--apiurl", url, "--key", Self.key, "--body", "x", "--allow-http"]
            let result = try RunningWaybill.run(arguments)
            #expect(result.status == 69, "\(result.everything)")
            #expect(!result.everything.contains("secret"))
        }
    }

    @Test("77 for a file with the key that others can read")
    func openKeyFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("key", Self.key, mode: 0o644)
        let result = try RunningWaybill.run(["notify"] + Self.nowhere + ["--key-file", file, "--body", "x"])
        #expect(result.status == 77)
        #expect(result.errors.contains("chmod 600"))
    }

    @Test("66 for a file that is not there")
    func noKeyFile() throws {
        let arguments = ["notify"] + Self.nowhere + ["--key-file", "/nowhere/key", "--body", "x"]
        #expect(try RunningWaybill.run(arguments).status == 66)
    }
}
