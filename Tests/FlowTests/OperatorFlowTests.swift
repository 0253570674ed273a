import Foundation
import Testing
import WaybillAMQP
import WaybillMessages

extension FlowTests {
    /// The commands around the flow, run as an operator runs them.
    struct OperatorFlowTests {
        @Test func initIsSafeToRepeatAndNamesAQueueThatDiffers() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let again = try rig.waybill("init")
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.output.split(separator: "\n").contains { $0.hasPrefix("created") } == false)
            let broker = try rig.broker()
            try broker.deleteQueue(rig.queues.rejected)
            _ = try broker.declareQueue(rig.queues.rejected, arguments: [("x-queue-type", .string("classic"))])
            let conflict = try rig.waybill("init")
            #expect(conflict.status == 78)
            #expect((conflict.output + conflict.errors).contains(rig.queues.rejected))
            #expect((conflict.output + conflict.errors).contains("rabbitmqctl"))
        }

        @Test func checkPassesOnAGoodSetupAndSaysWhatIsWrong() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let good = try rig.waybill("check")
            #expect(good.status == 0, "\(good.output)\(good.errors)")
            #expect(
                good.output.contains(
                    "warn installation: nothing runs yet. Start waybill dispatch, prune, fanout and schedule, or"
                ),
                "\(good.output)"
            )
            let key = rig.folder.appendingPathComponent("AuthKey_ABC123DEFG.p8")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
            #expect(try rig.waybill("check").status == 77)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
            rig.simulator.stop()
            let unreachable = try rig.waybill("check")
            #expect(unreachable.status == 69)
            #expect(unreachable.output.contains("parcels"))
        }

        @Test func beforeInitOneLineSaysWhatIsToDo() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            func errors(_ settings: String...) throws -> [Substring] {
                let check = try rig.waybill(["check"] + settings.flatMap { ["--set", $0] })
                #expect(check.status == 78, "\(check.output)")
                return check.output.split(separator: "\n").filter { $0.hasPrefix("error ") || $0.hasPrefix("warn ") }
            }
            let (noQueues, noIndexes) = (
                "broker.queue_prefix=\(rig.prefix)-none", "store.database=\(rig.database)-none"
            )
            #expect(
                try errors(noQueues, noIndexes) == [
                    "error installation: neither a queue at the broker nor an index in the store is there yet. Run waybill init."
                ]
            )
            #expect(try errors(noQueues) == ["error broker: none of its queues is there yet. Run waybill init."])
            #expect(try errors(noIndexes) == ["error store: none of its indexes is there yet. Run waybill init."])
            // Where some are there, those that are not are named: all of them.
            let broker = try rig.broker()
            try broker.deleteQueue(rig.queues.rejected)
            try broker.deleteQueue(rig.queues.retry)
            let check = try #require(try errors().first)
            #expect(
                check.contains("missing: ") && check.contains(rig.queues.rejected) && check.contains(rig.queues.retry)
            )
            let status = try rig.waybill("status")
            #expect(status.status == 69)
            let words = status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let names = rig.queues
            #expect(
                [[names.rejected, names.retry], [names.retry, names.rejected]].contains {
                    words.contains("queues are missing: \($0.joined(separator: ", ")) ")
                },
                "\(words)"
            )
        }

        @Test func aProofIsOnePushToATokenThatNobodyHas() async throws {
            let token = String(repeating: "00", count: 32)
            let rig = try await Rig(rules: #"{"rules": [{"token_prefix": "\#(token)", "reason": "BadDeviceToken"}]}"#)
            defer { rig.tearDown() }
            let proof = try rig.waybill("check", "--prove")
            #expect(proof.status == 0, "\(proof.output)\(proof.errors)")
            #expect(proof.output.contains("APNs refused the impossible device token and nothing else"))
            try await eventually("APNs has had that push alone") {
                try rig.simulator.received().map(\.token) == [token]
            }
            #expect(try rig.counts().isEmpty, "a proof has no record")
            #expect(try rig.waybill("check", "--prove", "--offline").status == 64)
            #expect(try rig.waybill("check", "--prove", "--as", "logs").status == 64)
        }

        @Test func sentFilesArriveAndADryRunSendsNothing() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let file = rig.folder.appendingPathComponent("batch.csv")
            let rows = (0..<250).map { "\(Sample.token("aa", $0)),\"Hello, \"\"\($0)\"\"\"" }
            try (["device_token,message"] + rows).joined(separator: "\n")
                .write(to: file, atomically: true, encoding: .utf8)
            #expect(try rig.waybill("send", file.path, "--dry-run").status == 0)
            #expect(try rig.depth(of: rig.queues.dispatch) == 0)
            let sent = try rig.waybill("send", file.path, "--batch-size", "100", "--client", "acme")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try rig.depth(of: rig.queues.dispatch) == 3)
            try rig.startDispatcher()
            try await eventually("all are accepted; log: \(rig.log)") { try rig.counts()["accepted"] == 250 }
            #expect(try rig.records("--client", "acme").contains { $0.message == "Hello, \"7\"" })
            let bad = try rig.waybill(
                "send",
                "-",
                "--format",
                "ndjson",
                input: """
                    {"device_token":"\(Sample.token("aa", 1))","message":"fine"}
                    {"device_token":"zz","message":"bad"}

                    """
            )
            #expect(bad.status == 65)
            #expect(bad.errors.contains("2"))
            #expect(bad.errors.contains("device_token"))
            #expect(try rig.depth(of: rig.queues.dispatch) == 0)
        }

        /// It takes connections and bytes, and confirms nothing.
        @Test func aBrokerThatHangsInTheMiddleOfARunIsToldOf() async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services)
            defer { rig.tearDown() }
            let file = rig.folder.appendingPathComponent("batch.csv")
            let rows = (0..<200).map { "\(Sample.token("aa", $0)),Hello \($0)" }
            try (["device_token,message"] + rows).joined(separator: "\n")
                .write(to: file, atomically: true, encoding: .utf8)
            let sending = try Program(
                "waybill",
                [
                    "send", file.path, "--batch-size", "1", "--rate", "20/s", "--config", rig.configurationFile.path,
                ]
            )
            try await eventually("some are published") { try rig.depth(of: rig.queues.dispatch) >= 5 }
            try services.signalBroker(SIGSTOP)
            defer { try? services.signalBroker(SIGCONT) }
            try await eventually("it is told; said: \(sending.errorText)") {
                sending.errorText.contains("no answer of the broker")
            }
            #expect(sending.isRunning)
            try services.signalBroker(SIGCONT)
            let sent = sending.wait()
            #expect(sent.status == 0, "\(sent.errors)")
            try await eventually("all are there") { try rig.depth(of: rig.queues.dispatch) == 200 }
        }

        /// Ctrl-C in the middle: what is said then continues, and everything arrives once, under the ids of the first run.
        @Test func aSentFileThatWasInterruptedIsContinuedUnderTheSameIDs() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let file = rig.folder.appendingPathComponent("batch.csv")
            let rows = (0..<60).map { "\(Sample.token("aa", $0)),Hello \($0)" }
            try (["device_token,message"] + rows).joined(separator: "\n")
                .write(to: file, atomically: true, encoding: .utf8)
            let sending = try Program(
                "waybill",
                [
                    "send", file.path, "--batch-size", "1", "--rate", "20/s", "--json", "--config",
                    rig.configurationFile.path,
                ]
            )
            try await eventually("some are published") { try rig.depth(of: rig.queues.dispatch) >= 5 }
            sending.signal(SIGINT)
            let first = sending.wait()
            #expect(first.status == 75, "\(first.errors)")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let told = try decoder.decode(SendResult.self, from: Data(first.output.utf8))
            let published = try rig.depth(of: rig.queues.dispatch)
            #expect(told.confirmed == published && published < 60)
            #expect(first.errors.contains(told.command))
            // The words of the command as a shell would split them: none of them needs quotes.
            let words = told.command.split(separator: " ").dropFirst().map(String.init)
            #expect(words.suffix(2) == ["--skip", "\(published)"])
            let second = try Program("waybill", words + ["--json"]).wait()
            #expect(second.status == 0, "\(second.errors)")
            let rest = try decoder.decode(SendResult.self, from: Data(second.output.utf8))
            #expect(rest.confirmed == 60)
            #expect(rest.batches == told.batches)
            #expect(try rig.depth(of: rig.queues.dispatch) == 60)
            try rig.startDispatcher()
            try await eventually("all are accepted; log: \(rig.log)") { try rig.counts()["accepted"] == 60 }
            let found = try rig.records("--batch", told.batchId, "--limit", "100")
            #expect(Set(found.map(\.id)) == Set(told.batches.flatMap(\.apnsIds)))
            #expect(try rig.records("--batch", told.batchId, "--exact").isEmpty)
        }

        /// What `waybill send --json` says.
        private struct SendResult: Decodable {
            struct Batch: Decodable, Equatable {
                let batchId: String
                let apnsIds: [String]
            }

            let confirmed: Int
            let batchId: String
            let batches: [Batch]
            let command: String
        }

        @Test func aSentFileIsSharedOutOverTheNumberedQueues() async throws {
            let rig = try await Rig(numberedQueues: 3)
            defer { rig.tearDown() }
            #expect(try rig.waybill("check").output.contains("all 12 queues are there"))
            let reached = (rig.queues.dispatchQueues + [rig.queues.exchange]).joined(separator: ", ")
            #expect(try rig.waybill("check", "--as", "send").output.contains("there: \(reached)\n"))
            // What init creates need not be there before it.
            let fresh = try rig.waybill("check", "--as", "init", "--set", "store.database=\(rig.queues.prefix)-fresh")
            #expect(fresh.status == 0, "\(fresh.output)\(fresh.errors)")
            #expect(fresh.output.contains("are for init to create"))
            let file = rig.folder.appendingPathComponent("batch.csv")
            let rows = (0..<60).map { "\(Sample.token("aa", $0)),Hello" }
            try (["device_token,message"] + rows).joined(separator: "\n")
                .write(to: file, atomically: true, encoding: .utf8)
            let sent = try rig.waybill("send", file.path, "--batch-size", "1", "--batch-id", "night")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try rig.depth(of: rig.queues.dispatch) == 0)
            let depths = try (0..<3).map { try rig.depth(of: rig.queues.dispatch($0)) }
            #expect(depths.reduce(0, +) == 60)
            #expect(depths.allSatisfy { $0 > 0 }, "\(depths)")
            try rig.startDispatcher()
            try await eventually("all are accepted; log: \(rig.log)") { try rig.counts()["accepted"] == 60 }
        }

        @Test func aClientThatNobodyNamedIsRefusedWhereTheConfigurationSaysSo() async throws {
            let rig = try await Rig(unknownClients: "reject")
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let token = Sample.token("aa", 1)
            try rig.publish(Sample.batch("typo", tokens: [token], extra: #","client":"Keeper""#))
            try rig.publish(Sample.batch("named", tokens: [token], extra: #","client":"keeper""#))
            try rig.publish(Sample.batch("nameless", tokens: [token]))
            for batch in ["named", "nameless"] {
                #expect(try await rig.finalRecords(batch: batch, count: 1).first?.outcome == "accepted")
            }
            try await eventually("the typo is rejected") { try rig.depth(of: rig.queues.rejected) == 1 }
            try await eventually("a replay that changes nothing says so") {
                try rig.waybill("rejected", "replay", "--all").errors.contains("1 message came straight back")
            }
            try await eventually("the typo is there again") { try rig.depth(of: rig.queues.rejected) == 1 }
            let rejected = try #require(rig.takeAll(from: rig.queues.rejected).first)
            #expect(rejected.properties[header: "x-waybill-reason"] == .string("unknown_client"))
            #expect(try rig.records("--batch", "typo").isEmpty)
        }

        @Test func anIndexThatWouldDeleteRecordsEndsTheDispatcherAtItsStart() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.deleteByDate(after: 86_400)
            try rig.publish(Sample.batch("kept", tokens: [Sample.token("aa", 1)]))
            let result = try rig.startDispatcher().wait()
            #expect(result.status == 78, "\(result.errors)")
            #expect(result.errors.contains("a_day_by_date"))
            #expect(try rig.waybill("check").output.contains("a_day_by_date"))
            try await eventually("the message is back") { try rig.depth(of: rig.queues.dispatch) == 1 }
        }

        @Test func aLogOfTheFormerReleaseIsConvertedByInit() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let token = Sample.token("aa", 1)
            try rig.makeFormerLog(holding: token)
            let refused = try rig.startDispatcher().wait()
            #expect(refused.status == 78 && refused.errors.contains("waybill init"), "\(refused.errors)")
            let search = try rig.waybill("logs", "--token", token)
            #expect(search.status == 78 && search.errors.contains("waybill init"), "\(search.errors)")
            let converted = try rig.waybill("init")
            #expect(converted.status == 0 && converted.errors.contains("device_token_date"), "\(converted.errors)")
            #expect(try rig.records("--token", token).count == 1)
            try rig.startDispatcher()
            try rig.publish(Sample.batch("after", tokens: [token]))
            #expect(try await rig.finalRecords(batch: "after", count: 1).map(\.outcome) == ["accepted"])
            #expect(try rig.records("--token", token).count == 2)
        }

        /// A producer lets a message expire, so that the broker itself moves it, with all that was written on it.
        @Test func whatTheBrokerHasRejectedIsNotBelievedOnReplay() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let forged: [(name: String, value: AMQPValue)] = [
                ("x-waybill-reason", "unknown_lane"), ("x-waybill-producer", "somebody-else"),
                ("x-waybill-queue", .string(rig.queues.invalidTokens)), ("x-waybill-attempt", 7),
                ("x-waybill-items", "0"), ("x-waybill-time", 1_795_000_000_000),
                ("x-waybill-digest", .string(String(repeating: "0", count: 32))), ("x-waybill-first-seen", 1),
                ("x-death", .array([.table(["queue": .string(rig.queues.retry), "reason": "delivery_limit"])])),
            ]
            let body = Array(Sample.batch("forged", tokens: [Sample.token("aa", 1)]).utf8)
            let now = UInt64(Date().timeIntervalSince1970)
            try rig.publish(body, AMQPProperties(expiration: "1", timestamp: now, headers: forged))
            try await eventually("the broker has moved it") { try rig.depth(of: rig.queues.rejected) == 1 }
            let listed = try rig.waybill("rejected", "list", "--json").output
            #expect(listed.contains(#""reason":"expired""#), "\(listed)")
            #expect(listed.contains(#""queue":"\#(rig.queues.dispatch)""#))
            #expect(!listed.contains("somebody-else"))
            #expect(try rig.waybill("rejected", "replay", "--reason", "unknown_lane").errors.contains("replayed 0"))
            #expect(try rig.waybill("rejected", "replay", "--reason", "expired").status == 0)
            #expect(try rig.depth(of: rig.queues.invalidTokens) == 0)
            try rig.startDispatcher()
            let record = try #require(await rig.finalRecords(batch: "forged", count: 1).first)
            #expect(record.outcome == "accepted" && record.attempts == 1)
            #expect(!record.id.hasSuffix("-000000000000"))
        }

        @Test func deadTokensAreDisabledInTheRegistry() async throws {
            let rules = """
                {"rules": [
                  {"token_prefix": "dead", "status": 410, "reason": "Unregistered", "timestamp": 1700000000123},
                  {"token_prefix": "bad0", "status": 400, "reason": "BadDeviceToken"}
                ]}
                """
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let pruner = try rig.startPruner()
            let tokens = (0..<20).map { Sample.token("dead", $0) } + [Sample.token("bad0", 1), Sample.token("00aa", 1)]
            try rig.publish(Sample.batch("prune", tokens: tokens))
            try await eventually("20 tokens are disabled; log: \(rig.log)") {
                let result = try rig.waybill("devices", "--disabled", "--count", "--json")
                return result.output.contains("20")
            }
            try await eventually("all events are acknowledged") { try rig.depth(of: rig.queues.invalidTokens) == 0 }
            let suspect = try rig.waybill("devices", "--token", Sample.token("bad0", 1), "--json")
            #expect(suspect.output.contains("disabled_at") == false)
            pruner.signal(SIGTERM)
            #expect(pruner.wait().status == 0)
        }

        @Test func nothingFoundIsSuccessWithAWord() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let result = try rig.waybill("logs", "--batch", "no-such-batch")
            #expect(result.status == 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.isEmpty == false)
        }

        @Test func tokensAndKeysAppearInNoProgramsOutput() async throws {
            let canary = Sample.token("ca4a21", 7)
            let rules = #"{"rules": [{"token_prefix": "ca4a21", "status": 410, "reason": "Unregistered"}]}"#
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            let pruner = try rig.startPruner()
            try rig.publish(Sample.batch("canary", tokens: [canary]))
            try rig.publish(#"[{"device_token":"\#(canary)","message":"canary-message""#)
            _ = try await rig.finalRecords(batch: "canary", count: 1)
            try await eventually("the bad body is rejected") { try rig.depth(of: rig.queues.rejected) == 1 }
            for program in [dispatcher, pruner] {
                program.signal(SIGTERM)
                let result = program.wait()
                for secret in [canary, "canary-message", "BEGIN PRIVATE KEY"] {
                    #expect(result.output.contains(secret) == false)
                    #expect(result.errors.contains(secret) == false)
                }
            }
        }
    }
}
