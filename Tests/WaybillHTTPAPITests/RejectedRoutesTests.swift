import Foundation
import Testing
import WaybillAMQP
import WaybillAccounts
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

private let brokerURL = ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"]

/// The rejected queue over HTTP, with a real store and a real broker.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable && brokerURL != nil))
struct RejectedRoutesTests {
    private static let json = ["Content-Type": "application/json"]

    private struct Queues {
        let connection: AMQPConnection
        let names: QueueNames

        func depth(_ queue: String) throws -> Int { try connection.inspectQueue(queue).messages }

        /// Waits until a queue has so many messages: a broker counts what has come back a moment later.
        func depth(_ queue: String, becomes count: Int) async throws {
            let deadline = ContinuousClock.now + .seconds(20)
            while try depth(queue) != count, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try depth(queue) == count)
        }
    }

    /// Runs a server whose rejected queue has messages of these ids.
    private func withRejected(
        _ ids: [String],
        body: String = "[",
        headers: [(MessageHeader, AMQPValue)] = [],
        _ test: (APIRig.Running, Queues) async throws -> Void
    ) async throws {
        let url = try #require(brokerURL)
        let prefix = "waybill-test-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let topology = Topology(names: QueueNames(prefix: prefix, numberedQueues: 0), delaySteps: [])
        let connection = try AMQPConnection.open(
            AMQPEndpoint(url: url, connectionName: "HTTPAPITests"),
            timeout: .seconds(20)
        )
        defer {
            if !connection.isChannelOpen { try? connection.reopenChannel() }
            for queue in topology.queues { try? connection.deleteQueue(queue.name) }
            try? connection.deleteExchange(topology.names.exchange)
            try? connection.deleteExchange(topology.names.replayExchange)
            connection.close()
        }
        _ = try topology.declare(on: connection)
        try connection.enableConfirms()
        for id in ids {
            var properties = AMQPProperties()
            properties.messageID = id
            for (header, value) in headers { properties.append(header, value) }
            try connection.publishConfirmed(
                to: topology.names.rejected,
                properties: properties,
                body: Array(body.utf8),
                patience: .seconds(20)
            )
        }
        let queues = Queues(connection: connection, names: topology.names)
        try await queues.depth(topology.names.rejected, becomes: ids.count)
        try await APIRig.run(broker: BrokerSettings(url: url, queuePrefix: prefix)) { try await test($0, queues) }
    }

    private func post(_ rig: APIRig.Running, _ path: String, _ body: String, key: String) async throws -> APIRig.Answer
    {
        try await rig.ask(path, key: key, method: "POST", headers: Self.json, body: Data(body.utf8))
    }

    @Test func messagesAreListedAndShownWithoutTokens() async throws {
        let token = String(repeating: "00fc13ad", count: 8)
        try await withRejected(["a", "b/1", "c"], body: "{\"device_token\":\"\(token)\"") { rig, queues in
            let key = try rig.key(.reader).text
            let list = try await rig.ask("/v1/rejected?limit=2", key: key)
            #expect(list.status == 200)
            #expect(list.json["total"] as? Int == 3)
            #expect((list.json["messages"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == ["a", "b/1"])
            try await queues.depth(queues.names.rejected, becomes: 3)
            let shown = try await rig.ask("/v1/rejected/b%2F1", key: key)
            #expect(shown.status == 200)
            #expect(shown.json["id"] as? String == "b/1")
            #expect((shown.json["body"] as? String)?.contains("00fc13ad…") == true)
            #expect(!shown.text.contains(token))
            try await queues.depth(queues.names.rejected, becomes: 3)
            #expect(try await rig.ask("/v1/rejected/d", key: key).status == 404)
        }
    }

    /// Where it goes is missing here; with an alarm, the broker does not confirm.
    @Test func aReplayThatTheBrokerDoesNotTakeSaysHowFarItCame() async throws {
        try await withRejected(["a"]) { rig, queues in
            try queues.connection.deleteQueue(queues.names.retry)
            let key = try rig.key(.operator).text
            let answer = try await post(rig, "/v1/rejected/replay", #"{"id":"a"}"#, key: key)
            #expect(answer.status == 503)
            let words = "replayed 0 of 1 that were meant, and 1 is still in \(queues.names.rejected)"
            #expect(answer.text.contains(words), "\(answer.text)")
            #expect(
                answer.text.contains("the queue \(queues.names.retry) is missing; waybill init makes it"),
                "\(answer.text)"
            )
            #expect(!answer.text.contains("store"), "\(answer.text)")
            try await queues.depth(queues.names.rejected, becomes: 1)
        }
    }

    @Test func aMissingQueueIsToldWithWhatMakesIt() async throws {
        try await withRejected([]) { rig, queues in
            try queues.connection.deleteQueue(queues.names.rejected)
            let key = try rig.key(.steward).text
            let answers = [
                try await rig.ask("/v1/rejected", key: key), try await rig.ask("/v1/rejected/a", key: key),
                try await post(rig, "/v1/rejected/drop", #"{"id":"a"}"#, key: key),
            ]
            let words = "the queue \(queues.names.rejected) is missing; waybill init makes it"
            for answer in answers {
                #expect(answer.status == 503 && answer.text.contains(words), "\(answer.text)")
                #expect(!answer.text.contains("NOT_FOUND"), "\(answer.text)")
            }
            let told = try await rig.ask("/v1/explain?batch=b-1", key: key)
            #expect(told.text.contains("The queue \(queues.names.rejected) is missing."), "\(told.text)")
            #expect(told.text.contains("waybill init makes them"), "\(told.text)")
        }
    }

    /// A batch whose messages were rejected has no record, and says so to whom it belongs.
    @Test func aRejectedBatchIsExplained() async throws {
        let headers: [(MessageHeader, AMQPValue)] = [
            (.reason, .string("forbidden_lane")), (.detail, .string("the user app-7 may not")),
            (.firstSeen, .int64(1_700_000_000_000)), (.client, .string("acme")), (.batch, .string("b-1.2")),
        ]
        try await withRejected(["m-1"], headers: headers) { rig, _ in
            let all = try await rig.ask("/v1/explain?batch=b-1", key: try rig.key(.reader).text)
            let told = (all.json["rejected"] as? [[String: String]])?.first
            #expect(told?["id"] == "m-1" && told?["detail"] == "the user app-7 may not", "\(all.text)")
            #expect(
                (all.json["now"] as? [String])?.first?.contains("2023-11-14T22:13:20.000Z for forbidden_lane") == true
            )
            #expect(all.text.contains(#""get":"/v1/rejected/m-1""#))
            let own = try await rig.ask("/v1/explain?batch=b-1", key: try rig.key(.reader, .only(["acme"])).text)
            #expect(own.text.contains("forbidden_lane") && !own.text.contains("app-7"), "\(own.text)")
            #expect(!own.text.contains("waybill rejected"))
            let other = try await rig.ask("/v1/explain?batch=b-1", key: try rig.key(.reader, .only(["globex"])).text)
            #expect(other.json["rejected"] == nil && !other.text.contains("forbidden_lane"), "\(other.text)")
        }
    }

    /// As `waybill rejected` does while it runs.
    @Test func whatAnotherProcessHoldsIsNotCalledNothing() async throws {
        try await withRejected(["a"]) { rig, queues in
            try queues.connection.startConsuming(queue: queues.names.rejected, consumerTag: "other")
            try await queues.depth(queues.names.rejected, becomes: 0)
            let key = try rig.key(.steward).text
            let answers = [
                try await rig.ask("/v1/rejected", key: key),
                try await post(rig, "/v1/rejected/replay", #"{"id": "a"}"#, key: key),
            ]
            for answer in answers {
                #expect(answer.status == 503 && answer.text.contains("another process"), "\(answer.text)")
            }
        }
    }

    @Test func aBatchIsNotDeniedWhileAnotherProcessHoldsWhatWasRejected() async throws {
        try await withRejected(["a"], headers: [(.batch, .string("b-1"))]) { rig, queues in
            try queues.connection.startConsuming(queue: queues.names.rejected, consumerTag: "other")
            try await queues.depth(queues.names.rejected, becomes: 0)
            let key = try rig.key(.reader).text
            let held = try await rig.ask("/v1/batches/b-1", key: key)
            #expect(held.status == 503 && held.text.contains("another process"), "\(held.text)")
            let told = try await rig.ask("/v1/explain?batch=b-1", key: key)
            #expect(told.status == 200 && told.text.contains("could not be read whole"), "\(told.text)")
        }
    }

    @Test func anIDOfSeveralMessagesNamesNone() async throws {
        try await withRejected(["a", "b", "a"]) { rig, queues in
            let key = try rig.key(.steward).text
            for verb in ["replay", "drop"] {
                let answer = try await post(rig, "/v1/rejected/\(verb)", #"{"id": "a"}"#, key: key)
                #expect(answer.status == 409, "\(answer.text)")
                #expect(answer.text.contains("2 messages have this id"), "\(answer.text)")
                #expect(answer.text.contains("same_id: true means all of them"), "\(answer.text)")
                try await queues.depth(queues.names.rejected, becomes: 3)
            }
            #expect(try await rig.ask("/v1/rejected/a", key: key).json["same_id"] as? Int == 2)
            #expect(try await rig.ask("/v1/rejected/b", key: key).json["same_id"] == nil)
            let one = try await post(rig, "/v1/rejected/drop", #"{"id": "b"}"#, key: key)
            #expect(one.json["dropped"] as? Int == 1, "\(one.text)")
        }
    }

    @Test(arguments: [("replay", "replayed"), ("drop", "dropped")])
    func allMessagesOfAnIDAreMeantWhereThatIsSaid(verb: String, done: String) async throws {
        try await withRejected(["a", "b", "a"]) { rig, queues in
            let key = try rig.key(.steward).text
            for body in [#"{"id": "a", "same_id": false}"#, #"{"id": "a"}"#] {
                #expect(try await post(rig, "/v1/rejected/\(verb)", body, key: key).status == 409)
                try await queues.depth(queues.names.rejected, becomes: 3)
            }
            for body in [#"{"reason": "unknown", "same_id": true}"#, #"{"id": "a", "same_id": "true"}"#] {
                let refused = try await post(rig, "/v1/rejected/\(verb)", body, key: key)
                #expect(refused.status == 400, "\(refused.text)")
                let pointers = (refused.json["errors"] as? [[String: String]])?.map { $0["pointer"] }
                #expect(pointers == ["#/same_id"], "\(refused.text)")
            }
            let both = try await post(rig, "/v1/rejected/\(verb)", #"{"id": "a", "same_id": true}"#, key: key)
            #expect(both.json[done] as? Int == 2 && both.json["left"] as? Int == 1, "\(both.text)")
            try await queues.depth(queues.names.rejected, becomes: 1)
        }
    }

    @Test func messagesGoBackOrAwayByIDAndReason() async throws {
        try await withRejected(["a", "b", "c", "d"]) { rig, queues in
            let key = try rig.key(.steward).text
            let (rejected, retry) = (queues.names.rejected, queues.names.retry)
            let replayed = try await post(rig, "/v1/rejected/replay", #"{"id": "b"}"#, key: key)
            #expect(replayed.status == 200)
            #expect(replayed.json["replayed"] as? Int == 1)
            #expect(replayed.json["left"] as? Int == 3)
            #expect(replayed.json["returned"] as? Int == 0)
            try await queues.depth(rejected, becomes: 3)
            try await queues.depth(retry, becomes: 1)
            let slip = try await post(rig, "/v1/rejected/replay", #"{"reason": "unknwon_lane"}"#, key: key)
            #expect(slip.status == 400)
            #expect(slip.text.contains("did you mean unknown_lane?"), "\(slip.text)")
            #expect((slip.json["errors"] as? [[String: String]])?.first?["pointer"] == "#/reason", "\(slip.text)")
            let none = try await post(rig, "/v1/rejected/drop", #"{"id": "c", "reason": "expired"}"#, key: key)
            #expect(none.status == 404)
            #expect(try await post(rig, "/v1/rejected/replay", #"{"id": "x"}"#, key: key).status == 404)
            // A reason that none has now asks for nothing that should be there.
            let idle = try await post(rig, "/v1/rejected/drop", #"{"reason": "expired"}"#, key: key)
            #expect(idle.status == 200)
            #expect(idle.json["dropped"] as? Int == 0)
            #expect(idle.json["returned"] == nil)
            try await queues.depth(rejected, becomes: 3)
            let dropped = try await post(rig, "/v1/rejected/drop", #"{"reason": "unknown"}"#, key: key)
            #expect(dropped.json["dropped"] as? Int == 3)
            #expect(dropped.json["left"] as? Int == 0)
            try await queues.depth(rejected, becomes: 0)
            try await queues.depth(retry, becomes: 1)
        }
    }

    @Test(arguments: [
        (Role.reader, ClientScope.all, 200, 403, 403), (.operator, .all, 200, 404, 403),
        (.steward, .all, 200, 404, 404),
        (.steward, .only(["acme"]), 403, 403, 403),
    ])
    func itTakesItsRole(role: Role, clients: ClientScope, list: Int, replay: Int, drop: Int) async throws {
        try await withRejected(["a"]) { rig, queues in
            let key = try rig.key(role, clients).text
            #expect(try await rig.ask("/v1/rejected", key: key).status == list)
            for (verb, status) in [("replay", replay), ("drop", drop)] {
                #expect(try await post(rig, "/v1/rejected/\(verb)", #"{"id": "x"}"#, key: key).status == status)
            }
            try await queues.depth(queues.names.rejected, becomes: 1)
        }
    }

    /// What was dropped is nowhere else; also what finds nothing was asked for.
    @Test func whoReplaysOrDropsIsInTheAudit() async throws {
        try await withRejected(["a", "b"]) { rig, queues in
            let key = try rig.key(.steward)
            _ = try await post(rig, "/v1/rejected/replay", #"{"id": "a"}"#, key: key.text)
            _ = try await post(rig, "/v1/rejected/drop", #"{"reason": "unknown"}"#, key: key.text)
            #expect(try await post(rig, "/v1/rejected/drop", #"{"id": "x"}"#, key: key.text).status == 404)
            let audit = try rig.documents("audit")
            let told = audit.map { "\($0["action"]?.string ?? "") \($0["subject"]?.string ?? "")" }
            #expect(Set(told) == ["rejected.replay a", "rejected.drop unknown", "rejected.drop x"])
            #expect(audit.allSatisfy { $0["key"]?.string == key.key.id })
        }
    }

    @Test func whatIsNotSaidIsNotDone() async throws {
        try await withRejected(["a"]) { rig, queues in
            let key = try rig.key(.steward).text
            for body in ["{}", "", #"{"all": "true"}"#] {
                #expect(try await post(rig, "/v1/rejected/drop", body, key: key).status == 400)
            }
            try await queues.depth(queues.names.rejected, becomes: 1)
        }
    }

    @Test func aBrokerThatIsAwayIsAnAnswer() async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask("/v1/rejected", key: try rig.key(.reader).text)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] == "5")
        }
    }

    @Test func oneAtATime() {
        let turn = Turn()
        #expect(turn.take())
        #expect(!turn.take())
        turn.end()
        #expect(turn.take())
    }
}
