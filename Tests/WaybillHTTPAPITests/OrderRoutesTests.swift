import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// Orders over HTTP, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct OrderRoutesTests {
    private static let json = ["Content-Type": "application/json"]

    private func post(_ rig: APIRig.Running, _ path: String, key: String, _ body: String? = nil) async throws
        -> APIRig.Answer
    {
        try await rig.ask(path, key: key, method: "POST", headers: Self.json, body: body.map { Data($0.utf8) })
    }

    private func orders(_ rig: APIRig.Running) throws -> StandingOrders {
        try rig.pool.withClient { (client) throws(MongoError) in
            try OrderReader(client: client, database: rig.database).orders()
        }
    }

    @Test(arguments: [("pause", "paused"), ("drain", "draining"), ("resume", "open")])
    func aLaneHasTheOrderWithWhoGaveIt(word: String, state: String) async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.operator)
            let answer = try await post(rig, "/v1/lanes/parcels/\(word)", key: text, #"{"note": "a \"new\" key"}"#)
            #expect(answer.status == 202)
            let order = try #require(try orders(rig).lanes["parcels"])
            #expect(order.state.rawValue == state)
            #expect(order.source.name == "test (\(key.id))")
            #expect(order.source.note == #"a "new" key"#)
            let lanes = try await rig.ask("/v1/lanes", key: text).json["lanes"] as? [[String: Any]]
            #expect(lanes?.count == 1)
            let shown = lanes?.first?["order"] as? [String: Any]
            #expect(shown?["state"] as? String == state)
            #expect(shown?["by"] as? String == order.source.name)
        }
    }

    @Test func aLaneThatNobodyHasIsNotOrdered() async throws {
        try await APIRig.run { rig in
            let stray = try await post(rig, "/v1/lanes/parcel/resume", key: try rig.key(.operator).text)
            #expect(stray.status == 404)
            #expect((stray.json["detail"] as? String)?.contains("not configured here") == true, "\(stray.json)")
            #expect(try orders(rig).lanes.isEmpty)
            try rig.pool.withClient { (client) throws(MongoError) in
                let now = Int64(Date().timeIntervalSince1970 * 1000)
                let status = #"{"ready":true,"lanes":[{"name":"parcels","state":"open"}]}"#
                try LeaseWriter(client: client, database: rig.database).write(
                    Lease(
                        role: "dispatch",
                        host: "push-1",
                        process: 7,
                        version: "1",
                        started: now,
                        seen: now,
                        status: Array(status.utf8)
                    )
                )
            }
            let key = try rig.key(.operator).text
            #expect(try await post(rig, "/v1/lanes/parcel/pause", key: key).status == 404)
            #expect(try orders(rig).lanes.isEmpty)
            let answer = try await post(rig, "/v1/lanes/parcels/pause", key: key)
            #expect(answer.status == 202)
            #expect((answer.json["dispatchers"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test func ordersAreInTheAudit() async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.operator)
            for path in ["lanes/parcels/pause", "lanes/parcels/resume", "lanes/parcel/resume", "batches/b1/cancel"] {
                _ = try await post(rig, "/v1/\(path)", key: text)
            }
            for _ in 0..<2 { _ = try await rig.ask("/v1/batches/b1/cancel", key: text, method: "DELETE") }
            let audit = try rig.documents("audit")
            let told = audit.map { "\($0["action"]?.string ?? "") \($0["subject"]?.string ?? "")" }
            #expect(told.sorted() == ["batch.cancel b1", "batch.lift b1", "lane.pause parcels", "lane.resume parcels"])
            #expect(audit.allSatisfy { $0["key"]?.string == key.id })
        }
    }

    @Test(arguments: [
        (Role.reader, ClientScope.all, 403, 403), (.investigator, .all, 403, 403), (.operator, .all, 202, 202),
        (.steward, .all, 202, 202), (.operator, .only(["acme"]), 403, 202), (.reader, .only(["acme"]), 403, 403),
        (.steward, .only([]), 403, 404),
    ])
    func anOrderTakesItsRole(role: Role, clients: ClientScope, lane: Int, batch: Int) async throws {
        try await APIRig.run { rig in
            let key = try rig.key(role, clients).text
            #expect(try await post(rig, "/v1/lanes/parcels/pause", key: key).status == lane)
            #expect(try await post(rig, "/v1/batches/b1/cancel", key: key).status == batch)
            #expect(try orders(rig).lanes.isEmpty == (lane != 202))
            #expect(try orders(rig).cancelled.isEmpty == (batch != 202))
        }
    }

    @Test(
        arguments: [
            (.all, nil, [nil]), (.all, "acme", ["acme"]), (.only(["acme"]), nil, ["acme"]),
            (.only(["acme", "globex"]), nil, ["acme", "globex"]), (.only(["acme", "globex"]), "globex", ["globex"]),
            (.only(["acme"]), "globex", []),
            // Canonically equivalent, and another client.
            (.only(["caf\u{E9}"]), "cafe\u{301}", []),
        ] as [(ClientScope, String?, [String?])]
    )
    func aKeyCancelsForItsOwnClients(clients: ClientScope, client: String?, cancelled: [String?]) async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.operator, clients)
            let body = client.map { #"{"client": "\#($0)"}"# }
            let answer = try await post(rig, "/v1/batches/b%2F1/cancel", key: text, body)
            #expect(answer.status == (cancelled.isEmpty ? 404 : 202))
            let found = try orders(rig).cancelled
            #expect(Set(found.map(\.client)) == Set(cancelled))
            #expect(found.count == cancelled.count)
            let listed = try await rig.ask("/v1/cancellations", key: text).json["cancellations"] as? [[String: Any]]
            #expect(listed?.count == cancelled.count)
            #expect(Set(listed?.map { $0["client"] as? String } ?? []) == Set(cancelled))
            let foreign = try await rig.ask("/v1/cancellations", key: try rig.key(.reader, .only(["other"])).text)
            #expect((foreign.json["cancellations"] as? [Any])?.isEmpty == true)
            #expect(found.allSatisfy { $0.batch.name == "b/1" && $0.source.name == "test (\(key.id))" })
            if !cancelled.isEmpty {
                #expect(answer.json["batch_id"] as? String == "b/1")
                #expect(answer.json["recorded"] as? Bool == false)
                #expect(answer.json["notifications"] as? Int == 0)
                let number = UInt64.random(in: 0 ... .max)
                try rig.record(NotificationID(high: 7, low: number), client: client ?? "acme", batch: "b/1")
                let again = try await post(rig, "/v1/batches/b%2F1/cancel", key: text, body)
                #expect(again.json["recorded"] as? Bool == true)
                let told = answer.json["clients"] as? [String]
                #expect(told == (cancelled == [nil] ? nil : cancelled.compactMap { $0 }))
            }
        }
    }

    @Test(arguments: [
        ("a%0Ab", 400), (String(repeating: "n", count: 256), 400), (String(repeating: "n", count: 255), 202),
    ])
    func aNameThatNoBatchCanHaveIsRefused(name: String, status: Int) async throws {
        try await APIRig.run { rig in
            let answer = try await post(rig, "/v1/batches/\(name)/cancel", key: try rig.key(.operator).text)
            #expect(answer.status == status)
            #expect(try orders(rig).cancelled.isEmpty == (status != 202))
            if status == 400 { #expect(answer.text.contains("1 to 255 bytes"), "\(answer.text)") }
        }
    }

    private static let everybodys = Cancellation(
        batch: BatchName("b/1"),
        client: nil,
        source: OrderSource(name: "anna@push-1", date: WallClock.milliseconds())
    )

    @Test(
        arguments: [
            (.operator, .all, nil, 202, [nil, "acme", "globex"]), (.operator, .all, "acme", 202, ["acme"]),
            (.operator, .only(["acme"]), nil, 202, ["acme"]), (.operator, .only(["acme"]), "globex", 404, []),
            (.operator, .only(["other"]), nil, 404, []), (.operator, .only([]), nil, 404, []),
            (.investigator, .all, nil, 403, []),
        ] as [(Role, ClientScope, String?, Int, [String?])]
    )
    func aKeyLiftsWhatIsItsOwnClients(
        role: Role,
        clients: ClientScope,
        client: String?,
        status: Int,
        lifted: [String?]
    ) async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(role, clients)
            let given = [nil, "acme", "globex"].map { client in
                var order = Self.everybodys
                order.client = client
                return order
            }
            let excess = try rig.pool.withClient { (store) throws(MongoError) in
                try OrderWriter(client: store, database: rig.database).cancel(given)
            }
            #expect(excess == nil)
            try rig.record(NotificationID(high: 7, low: .random(in: 0 ... .max)), client: "acme", batch: "b/1")
            let path = "/v1/batches/b%2F1/cancel" + (client.map { "?client=\($0)" } ?? "")
            let part = try await rig.ask("/v1/batches/b%2F1.1/cancel", key: text, method: "DELETE")
            #expect(part.status == (role == .operator ? 404 : 403))
            let answer = try await rig.ask(path, key: text, method: "DELETE")
            #expect(answer.status == status)
            let left = try orders(rig)
            #expect(Set(left.lifted.map(\.cancellation.client)) == Set(lifted) && left.lifted.count == lifted.count)
            #expect(left.cancelled.count == given.count - lifted.count)
            #expect(
                left.lifted.allSatisfy {
                    $0.source.name == "test (\(key.id))" && $0.cancellation.source.name == "anna@push-1"
                }
            )
            guard status == 202 else { return }
            let told = answer.json["lifted"] as? [[String: Any]]
            #expect(Set(told?.map { $0["client"] as? String } ?? []) == Set(lifted))
            // The one record is accepted.
            #expect(answer.json["ended"] as? Bool == false)
            let listed = try await rig.ask("/v1/cancellations", key: text).json["lifted"] as? [[String: Any]]
            #expect(listed?.count == lifted.count)
            #expect(
                listed?.allSatisfy { ($0["lifted"] as? [String: Any])?["by"] as? String == "test (\(key.id))" } == true
            )
            #expect(try await rig.ask(path, key: text, method: "DELETE").status == 404)
        }
    }

    @Test(
        arguments: [
            // What holds, what is lifted by whom, and what still holds of that as the key sees it: batch, client, by.
            ([("b", nil), ("b", "acme")], "b?client=acme", .all, 202, ["b - anna"]),
            ([("b", nil), ("b", "acme")], "b", .only(["acme"]), 202, ["b - -"]),
            ([("b", nil), ("b.1", nil)], "b.1", .all, 202, ["b - anna"]),
            ([("b", nil), ("b.1", nil)], "b", .all, 202, ["b.1 - anna"]),
            ([("b", "acme"), ("b.1", "acme"), ("b", "globex")], "b.1", .only(["acme"]), 202, ["b acme anna"]),
            ([("b", "acme"), ("b", "globex"), ("b.x", nil), ("bb", nil)], "b?client=acme", .all, 202, []),
            ([("b", nil), ("b", "acme"), ("b", "globex")], "b", .all, 202, []),
            ([("b", nil)], "b.2", .all, 404, ["as the whole batch b, for all clients"]),
            ([("b", nil)], "b?client=acme", .all, 404, ["for all clients"]),
            ([("b", nil)], "b?client=globex", .only(["acme"]), 404, []),
            ([("b.1", "acme")], "b", .all, 404, ["in its part b.1, for acme"]),
        ] as [([(String, String?)], String, ClientScope, Int, [String])]
    )
    func whatStillHoldsIsTold(
        given: [(String, String?)],
        lifted: String,
        clients: ClientScope,
        status: Int,
        still: [String]
    ) async throws {
        try await APIRig.run { rig in
            let orders = given.map { Cancellation(batch: BatchName($0), client: $1, source: Self.everybodys.source) }
            let excess = try rig.pool.withClient { (store) throws(MongoError) in
                try OrderWriter(client: store, database: rig.database).cancel(orders)
            }
            #expect(excess == nil)
            let parts = lifted.split(separator: "?")
            let query = parts.count == 2 ? "?\(parts[1])" : ""
            let key = try rig.key(.operator, clients).text
            let answer = try await rig.ask("/v1/batches/\(parts[0])/cancel\(query)", key: key, method: "DELETE")
            #expect(answer.status == status)
            guard status == 202 else {
                let words = try #require(answer.json["detail"] as? String)
                #expect(words.contains("; it is cancelled ") == !still.isEmpty)
                #expect(still.allSatisfy { words.hasSuffix("; it is cancelled \($0)") })
                return
            }
            let told = try #require(answer.json["still_cancelled"] as? [[String: Any]])
            let found = told.map { order in
                let by = (order["by"] as? String)?.split(separator: "@").first ?? "-"
                return "\(order["batch_id"] as? String ?? "-") \(order["client"] as? String ?? "-") \(by)"
            }
            #expect(found == still)
        }
    }

    @Test(arguments: [#"{"client": "acme", "note": "x"}"#, "{}", "x"])
    func liftingTakesNoBodyButANoteInTheQuery(body: String) async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.operator).text
            let path = "/v1/batches/b1/cancel"
            #expect(try await post(rig, path, key: key).status == 202)
            let refused = try await rig.ask(
                path,
                key: key,
                method: "DELETE",
                headers: Self.json,
                body: Data(body.utf8)
            )
            #expect(refused.status == 400)
            #expect((refused.json["detail"] as? String)?.contains("query") == true)
            #expect(try orders(rig).cancelled.count == 1)
            let long = "\(path)?note=\(String(repeating: "a", count: 501))"
            #expect(try await rig.ask(long, key: key, method: "DELETE").status == 400)
            let answer = try await rig.ask("\(path)?note=it+was+right", key: key, method: "DELETE")
            #expect(answer.status == 202)
            #expect(answer.json["note"] as? String == "it was right")
            #expect(try orders(rig).lifted.map(\.source.note) == ["it was right"])
        }
    }

    @Test(arguments: [
        "[]", "{", "null", #"{"note": 1}"#, #"{"note": ""}"#, #"{"note": null}"#, #"{"notes": "a"}"#,
        #"{"note": "a", "note": "b"}"#, #"{"note": "a\u0000"}"#, #"{"note": "a"} x"#,
        #"{"note": "\#(String(repeating: "a", count: 501))"}"#,
    ])
    func aBodyThatCannotBeMeantIsRefused(body: String) async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.operator).text
            #expect(try await post(rig, "/v1/batches/b1/cancel", key: key, body).status == 400)
            #expect(try await post(rig, "/v1/lanes/parcels/pause", key: key, body).status == 400)
            #expect(try orders(rig) == StandingOrders())
        }
    }

    /// As every other route does, also where one member alone is wrong.
    @Test(arguments: [
        ("/v1/batches/b1/cancel", #"{"note": "\#(String(repeating: "a", count: 501))"}"#, "#/note"),
        ("/v1/batches/b1/cancel", #"{"ahead": "soon"}"#, "#/ahead"),
        ("/v1/batches/b1/cancel", #"{"note": "\ud83d"}"#, "#/note"),
        ("/v1/batches/b1/cancel", #"{"note": "a", "note": "b"}"#, "#/note"),
        ("/v1/lanes/parcels/pause", #"{"note": "\#(String(repeating: "a", count: 501))"}"#, "#/note"),
        ("/v1/fuses/parcels/release", #"{"note": "\#(String(repeating: "a", count: 501))"}"#, "#/note"),
        ("/v1/rejected/replay", #"{"reason": "no such reason"}"#, "#/reason"),
        ("/v1/explain", #"{"token": "zz"}"#, "#/token"), ("/v1/session", "{}", "#/key"),
    ])
    func theMemberThatIsWrongIsPointedAt(path: String, body: String, pointer: String) async throws {
        try await APIRig.run { rig in
            let answer = try await post(rig, path, key: try rig.key(.operator).text, body)
            #expect(answer.status == 400)
            let errors = answer.json["errors"] as? [[String: String]] ?? []
            #expect(errors.map { $0["pointer"] } == [pointer], "\(answer.text)")
        }
    }

    @Test func aBodyThatIsNoUTF8IsToldSo() async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask(
                "/v1/batches/b1/cancel",
                key: try rig.key(.operator).text,
                method: "POST",
                headers: Self.json,
                body: Data(#"{"note": ""#.utf8) + Data([0xFF]) + Data(#""}"#.utf8)
            )
            #expect(answer.status == 400)
            #expect(answer.json["detail"] as? String == "the body is not UTF-8, at byte 10")
            #expect(try orders(rig) == StandingOrders())
        }
    }

    @Test func aBodySaysThatItIsJSON() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.operator).text
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
                let answer = try await rig.ask(
                    "/v1/batches/b1/cancel",
                    key: key,
                    method: "POST",
                    headers: ["Content-Type": type],
                    body: Data("{}".utf8)
                )
                #expect(answer.status == 415)
            }
            #expect(try orders(rig) == StandingOrders())
            let answer = try await rig.ask("/v1/batches/b1/cancel", key: key)
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "DELETE, POST")
        }
    }
}
