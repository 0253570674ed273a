import Testing

extension FlowTests {
    /// Commands that find no room for what they write.
    struct FullDiskFlowTests {
        private static let words = "cannot write standard output: No space left on device"

        private static func ids(_ text: String, _ prefix: String) -> [String] {
            Set(text.matches(of: /(key|we)_[0-9A-Za-z]+/).map { String($0.output.0) }.filter { $0.hasPrefix(prefix) })
                .sorted()
        }

        @Test(arguments: [[], ["--json"]]) func aKeyThatNobodyHasSeenIsRevoked(options: [String]) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let create = ["keys", "create", "--name", "a", "--role", "reader", "--all-clients"] + options
            let lost = try rig.waybillOnFullDisk(create)
            #expect(lost.status == 69)
            let id = try #require(Self.ids(lost.errors, "key_").first)
            #expect(
                lost.errors.hasPrefix("waybill keys: \(Self.words); nobody has seen the new key, and \(id) is revoked")
            )
            #expect(!lost.errors.contains("was the only time"))
            #expect(try rig.waybill("keys", "list").output.contains(id) == false)
            #expect(try rig.waybill("keys", "list", "--all").output.contains(id))
        }

        @Test func aSuccessorThatNobodyHasSeenIsRevoked() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let made = try rig.waybill("keys", "create", "--name", "a", "--role", "reader", "--all-clients")
            let old = try #require(Self.ids(made.errors, "key_").first)
            let lost = try rig.waybillOnFullDisk(["keys", "rotate", old])
            #expect(lost.status == 69)
            #expect(lost.errors.contains("is revoked; \(old) ends at "), "\(lost.errors)")
            let listed = try rig.waybill("keys", "list").output
            #expect(Self.ids(listed, "key_") == [old], "\(listed)")
            // What it names is the way on.
            #expect(lost.errors.contains("waybill keys rotate \(old) --force"))
            #expect(try rig.waybill("keys", "rotate", old, "--force").status == 0)
        }

        @Test func anEndpointWhoseSecretNobodyHasSeenIsRemovedOrSignsAsBefore() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let url = "https://example.com/hooks"
            let lost = try rig.waybillOnFullDisk(["webhooks", "add", url, "--client", "acme"])
            #expect(lost.status == 69)
            #expect(lost.errors.hasPrefix("waybill webhooks: \(Self.words); nobody has seen the secret, and we_"))
            #expect(Self.ids(try rig.waybill("webhooks", "list").output, "we_").isEmpty)
            let made = try rig.waybill("webhooks", "add", url, "--client", "acme")
            let id = try #require(Self.ids(made.errors, "we_").first, "\(made.errors)")
            let rotated = try rig.waybillOnFullDisk(["webhooks", "rotate", id])
            #expect(rotated.status == 69)
            #expect(rotated.errors.contains("nobody has seen the new secret, and \(id) signs as before"))
        }

        /// A cursor would lead behind what was never written.
        @Test func noCursorIsNamedAfterWhatWasNotWritten() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let items = (0..<3).map { #"{"device_token":"\#(Sample.token("AA", $0))","message":"\#($0)"}"# }
            try rig.publish(#"{"batch_id":"full","notifications":[\#(items.joined(separator: ","))]}"#)
            try await eventually("all are recorded") {
                try rig.records("--batch", "full").count == items.count
            }
            for options in [["--json"], [], ["--ids"]] {
                let whole = try rig.waybill(["logs", "--batch", "full", "--limit", "2"] + options)
                #expect(whole.status == 0 && whole.errors.contains("--cursor "), "\(whole.errors)")
                let lost = try rig.waybillOnFullDisk(["logs", "--batch", "full", "--limit", "2"] + options)
                #expect(lost.status == 69)
                #expect(lost.errors == "waybill: \(Self.words)\n")
            }
            for command in [
                ["logs", "--batch", "full", "--count"], ["explain", "full", "--json"], ["stats", "--csv"],
            ] {
                let lost = try rig.waybillOnFullDisk(command)
                #expect(lost.status == 69 && lost.errors.hasSuffix("waybill: \(Self.words)\n"), "\(lost.errors)")
            }
        }
    }
}
