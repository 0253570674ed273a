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
        let dispatch = try installation.run("dispatch")
        #expect(dispatch.status == 78)
        #expect(dispatch.output.isEmpty)
        #expect(dispatch.errors.contains("error \(message)"))
    }

    @Test("run reads the password of the mail server, as hooks does", arguments: ["run", "hooks"])
    func mailPassword(command: String) throws {
        let mail =
            "mail: {from: a@example.com, smtp: {url: 'smtp://127.0.0.1:1', user: u, password_file: no-such-file}}\n"
        let result = try Installation(replacing: "broker:\n", with: mail + "broker:\n").run(command)
        #expect(result.status == 78, "\(result.everything)")
        #expect(result.everything.contains("mail.smtp.password_file (line 1): "), "\(result.everything)")
        #expect(result.everything.contains("no-such-file does not exist"), "\(result.everything)")
    }

    @Test(
        "what the broker's client would refuse in its URL is found before anything is reached, with its line",
        arguments: [
            ("@127.0.0.1:0/", "the port must be a number from 1 to 65535"),
            ("@127.0.0.1/a/b", "a slash in the virtual host must be written %2F"),
            ("@127.0.0.1/?verify=verify_none", "parameters after ? or # are not supported"),
        ]
    )
    func brokerURL(end: String, words: String) throws {
        let installation = try Installation(
            replacing: "amqp://waybill:\(Installation.password)@127.0.0.1:1/",
            with: "amqp://waybill\(end)"
        )
        for command in [["check", "--offline"], ["rejected"]] {
            let result = try installation.run(arguments: command)
            #expect(result.status == 78)
            #expect(result.everything.contains("error broker.url (line 2): \(words)"), "\(result.everything)")
        }
        #expect(try installation.run("check", "--offline", "--as", "logs").status == 0)
    }

    @Test("check --as serve says what the page lacks for its charts")
    func charts() throws {
        let installation = try Installation(replacing: "", with: "")
        func check(_ settings: String...) throws -> String {
            let set = (["serve.listen=127.0.0.1:1"] + settings).flatMap { ["--set", $0] }
            let result = try installation.run(arguments: ["check", "--offline", "--as", "serve"] + set)
            #expect(result.status == 0)
            return result.everything
        }
        let without = try check("serve.assets=/nowhere")
        #expect(
            without.contains("serve.assets: the page shows tables instead of charts (/nowhere/chart.js/chart.min.js")
        )
        #expect(without.contains("install libjs-chart.js"))
        #expect(try !check("serve.assets=/nowhere", "serve.page=false").contains("charts"))
    }

    @Test("a command needs its own sections alone, and check --as says what they are")
    func roles() throws {
        let installation = try Installation(replacing: "retention:\n  default: 30d\n", with: "")
        #expect(try installation.run("check", "--offline", "--as", "dispatch").status == 78)
        for role in ["logs", "devices", "rejected", "send", "prune", "init"] {
            let check = try installation.run("check", "--offline", "--as", role)
            #expect(check.status == 0, "\(role): \(check.everything)")
        }
        // Nothing answers there, and that is all that is wrong.
        #expect(try installation.run("logs").status == 69)
        #expect(try installation.run("check", "--as", "someone").status == 64)
        for command in ["explain", "export", "stats", "top"] {
            #expect(try installation.run("check", "--offline", "--as", command).status == 0)
        }
    }

    @Test("a password on a command line is refused, and not repeated")
    func passwordInAFlag() throws {
        let url = "store.url=mongodb://waybill:\(Installation.password)@127.0.0.1:1/"
        let result = try Installation().run("logs", "--set", url)
        #expect(result.status == 78)
        #expect(result.errors.contains("other users can see"))
        #expect(!result.everything.contains(Installation.password))
    }

    @Test("libmongoc's own words never reach the output")
    func libraryWords() throws {
        // A warning of libmongoc's, for an option that it does not know.
        let result = try Installation(
            replacing: "?serverSelectionTimeoutMS",
            with: "?nobodyKnows=1&serverSelectionTimeoutMS"
        )
        .run("logs")
        #expect(result.status == 69)
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines.first
                == "warn store.url (line 4): holds nobodyknows, which the store's client does not know; it has no effect"
        )
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("waybill logs: ") }, "\(result.errors)")
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
