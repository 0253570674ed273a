import Testing

@Suite("Servers that cannot be reached, and secrets")
struct UnreachableTests {
    private static let notification = #"{"device_token":"\#(Installation.token)","message":"Hello"}"#

    @Test("69, the address, and no password", arguments: ["check", "init", "send", "logs", "devices", "rejected"])
    func unreachable(command: String) throws {
        let installation = try Installation()
        let result =
            command == "send"
            ? try installation.run("send", "-", "--format", "ndjson", input: Self.notification)
            : try installation.run(command)
        #expect(result.status == 69)
        #expect(result.everything.contains("127.0.0.1:1"), "\(result.everything)")
        #expect(!result.everything.contains(Installation.password))
    }

    @Test(
        "a URL that cannot be used is not repeated",
        arguments: ["@127.0.0.1:1/?x=%zz", "%zz@127.0.0.1:1/", "/a@127.0.0.1:1/"]
    )
    func brokenURL(tail: String) throws {
        for scheme in ["amqp", "mongodb"] {
            let installation = try Installation(
                replacing: "\(scheme)://waybill:\(Installation.password)@127.0.0.1:1/",
                with: "\(scheme)://waybill:\(Installation.password)\(tail)"
            )
            for command in ["check", "init", "logs"] {
                let result = try installation.run(command)
                #expect(result.status != 0)
                #expect(!result.everything.contains(Installation.password), "\(result.everything)")
            }
        }
    }

    @Test("a key file's content is never shown", arguments: ["check", "dispatch", "init", "logs"])
    func keyContent(command: String) throws {
        let canary = "canary-of-the-key"
        for key in [canary, "-----BEGIN PRIVATE KEY-----\n\(canary)\n-----END PRIVATE KEY-----\n"] {
            let result = try Installation(key: key).run(command)
            #expect(result.status != 0)
            #expect(!result.everything.contains(canary))
            #expect(!result.everything.contains("BEGIN PRIVATE KEY"))
        }
    }
}
