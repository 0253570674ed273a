import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillReceipts
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// `POST /v1/receipts`: what is proven is stored, and nothing else changes anything.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct ReceiptRouteTests {
    private static let secret = String(repeating: "receipt secret ", count: 3).filter { $0 != " " }
    private static let former = String(repeating: "former secret ", count: 4).filter { $0 != " " }
    private static let id = NotificationID("019a3b5c-0000-8123-8456-789abcd00000")!
    private static let other = NotificationID("019a3b5c-0000-8123-8456-789abcd00001")!

    private func run(_ body: (APIRig.Running) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let keys = try folder.write("receipts", "k2 \(Self.secret)\nk1 \(Self.former)\n")
        try await APIRig.run(
            settings: { port in
                ServeSettings(
                    listen: .init(host: "127.0.0.1", port: UInt16(port)),
                    receipts: ReceiptSettings(keyFile: keys, retention: .days(30))
                )
            },
            body
        )
    }

    private func capability(
        of id: NotificationID = id,
        content: UInt64? = nil,
        key: String = "k2",
        secret: String = secret,
        lifetime: Int64 = 100
    ) throws -> String {
        let key = try #require(ReceiptKey(id: key, secret: Array(secret.utf8)))
        var bytes: [UInt8] = []
        let expiry = WallClock.milliseconds() / 1000 + lifetime
        ReceiptCapability.append(of: ReceiptSubject(id, content: content), expiry: expiry, key: key, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func entry(_ event: String, _ capability: String, of id: NotificationID = id, more: String = "") -> String {
        #"{"id":"\#(id)","cap":"\#(capability)","event":"\#(event)"\#(more)}"#
    }

    private func post(_ rig: APIRig.Running, _ body: String) async throws -> HTTPAnswer {
        try await rig.ask("/v1/receipts", method: "POST", body: Data(body.utf8))
    }

    /// What is stored, in the order of its keys.
    private func stored(_ rig: APIRig.Running) throws -> [DeliveryReceipt] {
        try rig.documents("delivery_receipts").compactMap { DeliveryReceipt($0) }
            .sorted { ("\($0.id)", $0.event.rawValue) < ("\($1.id)", $1.event.rawValue) }
    }

    /// In the rows of a key that may see the notification, and of no other.
    @Test(arguments: [(ClientScope.only(["acme"]), [1]), (.only(["globex"]), [])])
    func statisticsTellOfThem(clients: ClientScope, opened: [Int]) async throws {
        try await run { rig in
            let time = WallClock.milliseconds() - 60_000
            let id = NotificationID(high: UInt64(time) << 16 | 0x8000, low: 1 << 63)
            try rig.record(id, client: "acme", date: time)
            let capability = try capability(of: id)
            #expect(try await post(rig, entry("opened", capability, of: id)).status == 204)
            let key = try rig.key(.reader, clients).text
            for (path, wanted) in [("/v1/stats?by=client&receipts=true", opened), ("/v1/stats?by=client", [])] {
                let answer = try await rig.ask(path, key: key)
                #expect(answer.status == 200)
                let rows = try #require(answer.json["rows"] as? [[String: Any]])
                let receipts = rows.compactMap { $0["receipts"] as? [String: Int] }
                #expect(receipts.map { $0["opened"] } == wanted && receipts.map { $0["arrived"] } == wanted)
            }
        }
    }

    @Test func whatIsProvenIsStoredOnceWithoutAKey() async throws {
        try await run { rig in
            let capability = try capability()
            let first = try await post(rig, entry("received", capability, more: #","at":1790000000000,"app":"1.2""#))
            #expect((first.status, first.text) == (204, ""))
            let again = try await post(rig, entry("received", capability, more: #","at":1790000000999,"app":"9""#))
            #expect(again.status == 204)
            #expect(try await post(rig, entry("opened", capability)).status == 204)
            // The key before the current one is live still.
            let former = try self.capability(of: Self.other, key: "k1", secret: Self.former)
            #expect(try await post(rig, entry("received", former, of: Self.other)).status == 204)
            let found = try stored(rig)
            #expect(found.map(\.event) == [.received, .opened, .received])
            #expect((found[0].deviceTime, found[0].app) == (1_790_000_000_000, "1.2"))
            // Nothing of who said so.
            let text = try rig.documents("delivery_receipts").map { "\($0)" }.joined()
            #expect(!text.contains("127.0.0.1") && !text.contains(capability))
            #expect(!rig.lines().joined().contains(capability))
            #expect(!rig.lines().joined().contains("/v1/receipts"))
        }
    }

    @Test func whatIsForgedSwappedOrLateChangesNothing() async throws {
        try await run { rig in
            let good = try capability()
            let stranger = try capability(secret: String(repeating: "x", count: 40))
            let bad: [(String, Int)] = [
                (entry("acknowledged", stranger), 403),
                // Another notification's.
                (entry("acknowledged", good, of: Self.other), 403),
                (entry("acknowledged", good.replacing("v1.k2", with: "v1.k1")), 403),
                (entry("acknowledged", good.replacing("v1.", with: "v2.")), 403),
                (entry("acknowledged", try capability(lifetime: -10)), 410),
                (entry("read", good), 400), ("{}", 400), ("[]", 400), ("nonsense", 400), ("", 400),
                (entry("opened", good, more: ",\"x\":\"\(String(repeating: "x", count: 60_000))\""), 413),
            ]
            for (body, status) in bad {
                let answer = try await post(rig, body)
                #expect(answer.status == status, "\(body.prefix(200)): \(answer.text)")
                #expect(answer.type == "application/problem+json")
                #expect(!answer.text.contains("\(Self.id)") && !answer.text.contains(good))
            }
            #expect(try stored(rig) == [])
            // A key of the API makes nothing of it better.
            let (_, key) = try rig.key(.operator)
            let answer = try await rig.ask(
                "/v1/receipts",
                key: key,
                method: "POST",
                body: Data(entry("acknowledged", stranger).utf8)
            )
            #expect(answer.status == 403)
            #expect(try stored(rig) == [])
        }
    }

    /// The same answer, whether the log has the notification or not.
    @Test func nothingTellsWhetherThereIsSuchANotification() async throws {
        try await run { rig in
            try rig.record(Self.id, client: "acme")
            for id in [Self.id, Self.other] {
                let forged = try await post(rig, entry("opened", try capability(of: id, secret: Self.former), of: id))
                #expect(
                    (forged.status, forged.json["detail"] as? String) == (
                        403, "1 of the capabilities are not good for their notifications"
                    )
                )
                #expect(try await post(rig, entry("opened", try capability(of: id), of: id)).status == 204)
            }
        }
    }

    @Test func ofAnArrayWhatIsGoodIsStoredAndTheWorstIsTold() async throws {
        try await run { rig in
            let (good, bad) = (try capability(), try capability(secret: String(repeating: "x", count: 40)))
            let late = try capability(lifetime: -10)
            func array(_ entries: String...) -> String { "[\(entries.joined(separator: ","))]" }
            #expect(try await post(rig, array(entry("received", good), entry("opened", good))).status == 204)
            #expect(try await post(rig, array(entry("displayed", good), entry("opened", late))).status == 410)
            #expect(
                try await post(rig, array(entry("dismissed", good), entry("opened", late), entry("opened", bad))).status
                    == 403
            )
            #expect(try await post(rig, array(entry("acknowledged", good), "7", entry("opened", bad))).status == 400)
            #expect(try stored(rig).map(\.event) == [.received, .displayed, .opened, .acknowledged, .dismissed])
        }
    }

    @Test func oneEventIsNotTakenWithoutEndAndKeepsOutNoOther() async throws {
        try await run { rig in
            let good = try capability()
            let entry = entry("received", good)
            // As many as the allowance, whatever minute it is.
            var answers: [HTTPAnswer] = []
            while answers.count < 60, answers.last?.status != 429 { answers.append(try await post(rig, entry)) }
            #expect((answers.last?.status, answers.last?.headers["retry-after"]) == (429, "60"))
            #expect(answers.dropLast().allSatisfy { $0.status == 204 })
            #expect(try await post(rig, self.entry("acknowledged", good)).status == 204)
            let wrong = try await post(rig, #"[{"id": 1, "event": "x"}]"#)
            let pointers = (wrong.json["errors"] as? [[String: String]])?.compactMap { $0["pointer"] }
            #expect(wrong.status == 400 && pointers == ["#/0/id", "#/0/cap", "#/0/event"], "\(wrong.text)")
            let other = try capability(of: Self.other)
            #expect(try await post(rig, self.entry("received", other, of: Self.other)).status == 204)
            #expect(try stored(rig).map(\.event) == [.received, .acknowledged, .received])
        }
    }

    @Test(arguments: [(50, 204), (51, 400)])
    func whatIsSaidAgainInOneRequestIsSaidOnce(count: Int, status: Int) async throws {
        try await run { rig in
            let (received, acknowledged) = (
                entry("received", try capability()), entry("acknowledged", try capability())
            )
            for entry in [received, acknowledged] {
                let many = "[\([String](repeating: entry, count: count).joined(separator: ","))]"
                #expect(try await post(rig, many).status == status)
                #expect(try await post(rig, received).status == 204)
                #expect(try await post(rig, acknowledged).status == 204)
            }
            #expect(try stored(rig).map(\.event) == [.received, .acknowledged])
        }
    }

    @Test func whoeverGuessesIsSlowedDownAndKeepsNobodyOut() async throws {
        try await run { rig in
            let bad = entry("opened", try capability(secret: String(repeating: "x", count: 40)))
            var statuses: [Int] = []
            // More than the allowance in any time that this could take.
            while statuses.count < 5_000, statuses.last != 429 { statuses.append(try await post(rig, bad).status) }
            #expect(Set(statuses) == [403, 429])
            #expect(try await post(rig, entry("opened", try capability())).status == 204)
        }
    }

    @Test func whereItIsNotOfferedThereIsNothing() async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask("/v1/receipts", method: "POST", body: Data("{}".utf8))
            #expect(answer.status == 404)
        }
        try await run { rig in
            let answer = try await rig.ask("/v1/receipts")
            #expect((answer.status, answer.headers["allow"]) == (405, "POST"))
        }
    }

    @Test func aStoreThatIsAwayIsSaidSo() async throws {
        let folder = try TemporaryFolder()
        let keys = try folder.write("receipts", "k2 \(Self.secret)\n")
        try await APIRig.run(
            store: APIRig.nowhere,
            settings: { port in
                ServeSettings(
                    listen: .init(host: "127.0.0.1", port: UInt16(port)),
                    receipts: ReceiptSettings(keyFile: keys, retention: .keep)
                )
            }
        ) { rig in
            let answer = try await post(rig, entry("opened", try capability()))
            #expect((answer.status, answer.headers["retry-after"]) == (503, "5"))
        }
    }

    // MARK: - Readers

    @Test func aStoryTellsThemAndABatchCountsThem() async throws {
        try await run { rig in
            let (_, key) = try rig.key(.reader)
            _ = try rig.pool.withClient { (client) throws(MongoError) in
                try DeliveryLogIndexes.ensure(client: client, database: rig.database)
            }
            try rig.record(Self.id, client: "acme", batch: "alarm")
            try rig.record(Self.other, client: "acme", batch: "alarm")
            for event in ["received", "opened"] {
                #expect(
                    try await post(rig, entry(event, try capability(), more: #","prio":"normal","prio_asked":"high""#))
                        .status == 204
                )
            }
            let story = try await rig.ask("/v1/explain?apns_id=\(Self.id)", key: key).json
            let one = try #require((story["notifications"] as? [[String: Any]])?.first)
            let steps = try #require(one["steps"] as? [[String: Any]])
            let said = steps.filter { $0["kind"] as? String == "receipt" }.compactMap { $0["text"] as? String }
            #expect(
                said == [
                    "received, came with priority normal, sent with high",
                    "opened, came with priority normal, sent with high",
                ]
            )
            #expect(
                (one["receipts"] as? [[String: Any]])?.compactMap { $0["event"] as? String } == ["received", "opened"]
            )
            let batch = try await rig.ask("/v1/batches/alarm", key: key).json
            #expect(
                batch["receipts"] as? [String: Int]
                    == ["arrived": 1, "received": 1, "displayed": 0, "opened": 1, "acknowledged": 0, "dismissed": 0]
            )
            // Nothing of an outcome has changed.
            #expect((one["record"] as? [String: Any])?["outcome"] as? String == "accepted")
        }
    }

    /// Two clients have given one id at the same moment: one record has it, the other has it beside an id of its own.
    @Test func ofTwoClientsWithOneIDEachIsToldWhatItsOwnDeviceSays() async throws {
        try await run { rig in
            let (_, key) = try rig.key(.reader)
            _ = try rig.pool.withClient { (client) throws(MongoError) in
                try DeliveryLogIndexes.ensure(client: client, database: rig.database)
            }
            try rig.record(Self.id, client: "acme", batch: "alarm", content: 1)
            try rig.record(Self.other, client: "globex", batch: "alarm", givenID: Self.id, content: 2)
            let said: [(String, UInt64)] = [("received", 2), ("acknowledged", 2), ("opened", 1)]
            for (event, content) in said {
                #expect(try await post(rig, entry(event, try capability(content: content))).status == 204)
            }
            // As if it were the other one's.
            let good = try capability(content: 2)
            let swapped = good.replacing(Fingerprint.text(2), with: Fingerprint.text(1))
            #expect(try await post(rig, entry("acknowledged", swapped)).status == 403)
            let story = try await rig.ask("/v1/explain?apns_id=\(Self.id)", key: key).json
            var events: [String: [String]] = [:]
            for one in try #require(story["notifications"] as? [[String: Any]]) {
                let client = try #require((one["record"] as? [String: Any])?["client"] as? String)
                events[client] = (one["receipts"] as? [[String: Any]])?.compactMap { $0["event"] as? String }
            }
            #expect(events == ["acme": ["opened"], "globex": ["received", "acknowledged"]])
            let batch = try await rig.ask("/v1/batches/alarm", key: key).json
            #expect(
                batch["receipts"] as? [String: Int]
                    == ["arrived": 2, "received": 1, "displayed": 0, "opened": 1, "acknowledged": 1, "dismissed": 0]
            )
        }
    }

    @Test func aReceiptMayComeBeforeItsRecord() async throws {
        try await run { rig in
            let (_, key) = try rig.key(.reader)
            #expect(try await post(rig, entry("received", try capability())).status == 204)
            try rig.record(Self.id, client: "acme", batch: "alarm")
            let story = try await rig.ask("/v1/explain?apns_id=\(Self.id)", key: key).json
            let one = try #require((story["notifications"] as? [[String: Any]])?.first)
            #expect((one["receipts"] as? [[String: Any]])?.count == 1)
        }
    }
}
