import Testing

@Suite("A configuration that cannot be used")
struct ConfigurationFailureTests {
    @Test(
        "exit status 78, and the mistake with its line and what to do",
        arguments: [
            (
                "queue_prefix", "  url: amqp:", "  queue_prefx: a\n  url: amqp:",
                "broker.queue_prefx (line 2): unknown key; did you mean queue_prefix?"
            ),
            (
                "retention", "retention:\n  default: 30d\n", "",
                "retention.default: is missing; write 30d, or keep (forever)"
            ),
            ("bundle_id", "    bundle_id: com.example.parcels\n", "", "lanes[0].bundle_id (line 8): is missing"),
            (
                "a wrong type", "default: 30d", "default: [30d]",
                "retention.default (line 6): must be a single value, not a list"
            ),
        ]
    )
    func mistakes(_ name: String, old: String, new: String, message: String) throws {
        let installation = try Installation(replacing: old, with: new)
        let check = try installation.run("check", "--offline")
        #expect(check.status == 78)
        #expect(check.output.contains("error \(message)"))
        let logs = try installation.run("logs")
        #expect(logs.status == 78)
        #expect(logs.output.isEmpty)
        #expect(logs.errors.contains("error \(message)"))
    }

    @Test("no configuration at all says where one is looked for")
    func absent() throws {
        let result = try RunningWaybill.run(["check", "--config", "/nonexistent/waybill.yaml"])
        #expect(result.status == 78)
        #expect(result.everything.contains("/nonexistent/waybill.yaml does not exist"))
    }

    @Test("a key that others can read: 77, with the command that helps")
    func openKey() throws {
        let installation = try Installation(keyMode: 0o644)
        let result = try installation.run("check", "--offline")
        #expect(result.status == 77)
        #expect(result.output.contains("lanes[0].key_file (line 12)"))
        #expect(result.output.contains("mode 644"))
        #expect(result.output.contains("chmod 600 "))
    }

    @Test("a key of another curve: 78")
    func otherCurve() throws {
        let installation = try Installation(key: try Installation.key(curve: "P-384"))
        let result = try installation.run("check", "--offline")
        #expect(result.status == 78)
        #expect(result.output.contains("is not a P-256 private key"))
    }

    @Test("a sound configuration passes without anything being reached")
    func sound() throws {
        let result = try Installation().run("check", "--offline")
        #expect(result.status == 0, "\(result.everything)")
        #expect(result.output.contains("is a P-256 key, id ABC123DEFG"))
    }
}
