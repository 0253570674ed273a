import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTLS

@testable import WaybillHTTPAPI

private let sampleToken = String(repeating: "00fc13ad", count: 8)
private let sampleID = NotificationID("6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60")!

/// Records over HTTP, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct DeliveryRoutesTests {

    @Test(arguments: [
        (Role.reader, ClientScope.all, "…13ad"), (.reader, .only(["acme"]), "…13ad"),
        (.investigator, .only(["acme"]), sampleToken),
        (.steward, .all, sampleToken),
    ])
    func oneRecordWithAsMuchOfItsTokenAsTheRoleMaySee(role: Role, clients: ClientScope, shown: String) async throws {
        try await APIRig.run { rig in
            try rig.record(sampleID, client: "acme", token: sampleToken)
            let answer = try await rig.ask("/v1/deliveries/\(sampleID)", key: try rig.key(role, clients).text)
            #expect(answer.status == 200)
            #expect(answer.type == "application/json")
            let deliveries = answer.json["deliveries"] as? [[String: Any]]
            #expect(deliveries?.count == 1)
            #expect(deliveries?.first?["_id"] as? String == "\(sampleID)")
            #expect(deliveries?.first?["device_token"] as? String == shown)
        }
    }

    @Test(arguments: [ClientScope.only(["globex"]), .only([]), .only(["acm"]), .only(["acme "])])
    func whatIsOfAnotherClientIsNotThere(clients: ClientScope) async throws {
        try await APIRig.run { rig in
            try rig.record(sampleID, client: "acme")
            let key = try rig.key(.steward, clients).text
            let foreign = try await rig.ask("/v1/deliveries/\(sampleID)", key: key)
            let none = try await rig.ask("/v1/deliveries/00000000-0000-4000-8000-000000000000", key: key)
            #expect(foreign.status == 404)
            #expect(foreign.json["detail"] as? String == none.json["detail"] as? String)
        }
    }

    @Test func aRecordWithoutAClientIsForThoseWhoSeeAll() async throws {
        try await APIRig.run { rig in
            try rig.record(sampleID, client: nil)
            #expect(try await rig.ask("/v1/deliveries/\(sampleID)", key: try rig.key(.reader).text).status == 200)
            let limited = try rig.key(.reader, .only(["acme", ""])).text
            #expect(try await rig.ask("/v1/deliveries/\(sampleID)", key: limited).status == 404)
        }
    }

    private func id(_ number: UInt64) -> NotificationID {
        // Version 7: the time in front.
        NotificationID(high: (1_700_000_000_000 + number) << 16 | 0x7000, low: 1 << 63 | number)
    }

    private func ids(_ answer: APIRig.Answer) -> [String] {
        (answer.json["deliveries"] as? [[String: Any]] ?? []).compactMap { $0["_id"] as? String }
    }

    @Test(arguments: [
        ("", "message"), ("?outcome=rejected,accepted", "message"), ("?batch=parcels", "message"),
        ("?outcome=rejected", "date"), ("?reason=Unregistered", "date"), ("?token=\(sampleToken)", "date"),
    ])
    func aPageSaysWhatItIsOrderedBy(query: String, order: String) async throws {
        try await APIRig.run { rig in
            // What came late has the earlier message.
            try rig.record(id(1), client: "acme", token: sampleToken, outcome: "rejected", date: 1_700_000_900_000)
            try rig.record(id(2), client: "acme", token: sampleToken, outcome: "rejected", date: 1_700_000_000_900)
            let key = try rig.key(.investigator).text
            let answer = try await rig.ask("/v1/deliveries\(query)", key: key)
            #expect(answer.json["order"] as? String == order)
            let ids = ids(answer)
            guard !ids.isEmpty else { return }
            #expect(ids == (order == "date" ? [id(1), id(2)] : [id(2), id(1)]).map { "\($0)" })
        }
    }

    @Test func aSearchGoesPageByPage() async throws {
        try await APIRig.run { rig in
            for number in 0..<7 { try rig.record(id(UInt64(number)), client: "acme") }
            let key = try rig.key(.reader).text
            var found: [String] = []
            var sizes: [Int] = []
            var cursor: String?
            repeat {
                let path = "/v1/deliveries?limit=3&outcome=accepted" + (cursor.map { "&cursor=\($0)" } ?? "")
                let answer = try await rig.ask(path, key: key)
                #expect(answer.status == 200)
                found += ids(answer)
                sizes.append(ids(answer).count)
                cursor = answer.json["next"] as? String
            } while cursor != nil && sizes.count < 10
            #expect(found == (0..<7).reversed().map { "\(id(UInt64($0)))" })
            #expect(sizes.prefix(2) == [3, 3])
        }
    }

    /// Two clients with two keys, and all that one of them could try to see the other's records.
    @Test func noFilterAndNoCursorReachesAnotherClientsRecords() async throws {
        try await APIRig.run { rig in
            let foreign = String(repeating: "beefbeef", count: 8)
            for number in 0..<6 { try rig.record(id(UInt64(number)), client: "acme", outcome: "rejected") }
            for number in 6..<12 {
                try rig.record(id(UInt64(number)), client: "globex", token: foreign, outcome: "rejected")
            }
            try rig.record(id(12), client: nil, token: foreign)
            let acme = try rig.key(.steward, .only(["acme"])).text
            let curious = try rig.key(.steward, .only(["acme"])).text
            let globex = try rig.key(.steward, .only(["globex"])).text
            let own = (0..<6).reversed().map { "\(id(UInt64($0)))" }
            for query in [
                "?client=!globex", "?client=globex&client=acme", "?client=!globex&lane=!other", "", "?outcome=rejected",
                "?outcome=!accepted", "?lane=parcels", "?since=2023-11-14", "?limit=200",
            ] {
                let answer = try await rig.ask("/v1/deliveries\(query)", key: acme)
                #expect(answer.status == 200)
                #expect(Set(ids(answer)) == Set(own))
            }
            for query in [
                "?client=!acme", "?client=!acme&client=globex", "?client=globex", "?token=\(foreign)",
                "?client=globex&outcome=rejected&token=\(foreign)",
            ] {
                let answer = try await rig.ask("/v1/deliveries\(query)", key: curious)
                #expect(answer.status == 200)
                #expect(ids(answer) == [])
            }
            for number in 6...12 {
                #expect(try await rig.ask("/v1/deliveries/\(id(UInt64(number)))", key: acme).status == 404)
            }
            // A cursor of the other's search, and of one's own as soon as it is changed.
            let page = try await rig.ask("/v1/deliveries?limit=2", key: globex)
            let cursor = try #require(page.json["next"] as? String)
            #expect(try await rig.ask("/v1/deliveries?limit=2&cursor=\(cursor)", key: globex).status == 200)
            for query in ["cursor=\(cursor)", "cursor=\(cursor)&client=globex", "cursor=A\(cursor)", "cursor=x"] {
                let answer = try await rig.ask("/v1/deliveries?limit=2&\(query)", key: acme)
                #expect(answer.status == 400)
                #expect(answer.type == "application/problem+json")
            }
            #expect(try await rig.ask("/v1/deliveries?outcome=rejected&cursor=\(cursor)", key: globex).status == 400)
            #expect(try await rig.ask("/v1/deliveries?client=!acme&cursor=\(cursor)", key: globex).status == 400)
        }
    }

    /// A position that is not sealed is what a forger would make: one's own, and one at every record that somebody else has.
    @Test func aForgedCursorIsRefusedWhateverIsThere() async throws {
        try await APIRig.run { rig in
            for number in 0..<4 {
                try rig.record(id(UInt64(number)), client: "acme", outcome: "rejected", batch: "b.1")
                try rig.record(id(UInt64(10 + number)), client: "globex", outcome: "rejected", batch: "b.2")
            }
            let (acme, globex) = (DeliveryScope.clients(["acme"]), DeliveryScope.clients(["globex"]))
            let key = try rig.key(.steward, .only(["acme"])).text
            let searches: [(text: String, query: DeliveryQuery)] = [
                ("", DeliveryQuery()), ("&batch=b", DeliveryQuery(batch: BatchName("b"))),
                ("&outcome=rejected", DeliveryQuery(outcomes: [.rejected])),
            ]
            var forgeries = 0
            for (text, query) in searches {
                var answers: Set<String> = []
                for scope in [acme, globex, .all] {
                    let position = try rig.pool.withClient { (client) throws(MongoError) in
                        var asked = query
                        asked.limit = 2
                        let options = DeliveryLogOptions(
                            database: rig.database,
                            retention: RetentionPolicy(default: .keep)
                        )
                        return try DeliveryLogReader(client: client, options: options, scope: scope).page(asked).next
                    }
                    let forged = try #require(position).text
                    let answer = try await rig.ask("/v1/deliveries?limit=2\(text)&cursor=\(forged)", key: key)
                    #expect(answer.status == 400)
                    answers.insert(try #require(answer.json["detail"] as? String))
                }
                #expect(answers.count == 1)
                forgeries += 3
                #expect(rig.refused(.forgedCursor) == Double(forgeries))
                // A real one goes on, and nothing shows in it.
                let page = try await rig.ask("/v1/deliveries?limit=2\(text)", key: key)
                let cursor = try #require(page.json["next"] as? String)
                let bytes = String(decoding: try #require(Base64URL.decode(cursor)), as: UTF8.self)
                #expect(!bytes.contains("b.1") && !bytes.contains("018bcfe5") && !cursor.contains("018bcfe5"))
                // A page ends early where its time is up.
                var found = ids(page)
                var rest: String? = cursor
                for _ in 0..<20 {
                    guard let from = rest else { break }
                    let next = try await rig.ask("/v1/deliveries?limit=2\(text)&cursor=\(from)", key: key)
                    #expect(next.status == 200)
                    found += ids(next)
                    rest = next.json["next"] as? String
                }
                #expect(rest == nil)
                #expect(found.count == 4)
                #expect(Set(found) == Set((0..<4).map { "\(id(UInt64($0)))" }))
            }
        }
    }

    @Test(arguments: ["client=shop&client=!shop", "push_type=a&push_type=!a", "outcome=accepted,!accepted"])
    func aFilterThatLeavesOutWhatItAsksForIsRefused(query: String) async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            for path in ["/v1/deliveries", "/v1/stats", "/v1/groups"] {
                let answer = try await rig.ask("\(path)?\(query)", key: key)
                #expect(answer.status == 400)
                #expect(answer.json["detail"].map { "\($0)" }?.contains("nothing can match") == true, "\(answer.text)")
            }
        }
    }

    @Test(
        arguments: [
            ("client=!shop", ["other", nil, "!shop"]), ("client=!shop&client=!other", [nil, "!shop"]),
            ("client=shop&client=other", ["shop", "other"]), ("client=shop&client=other&client=!shop", ["other"]),
            ("client=%5C!shop", ["!shop"]), ("client=!!shop", ["shop", "other", nil]),
        ] as [(String, [String?])]
    )
    func aValueWithAnExclamationMarkIsLeftOut(query: String, clients: [String?]) async throws {
        try await APIRig.run { rig in
            for (number, client) in ["shop", "other", nil, "!shop"].enumerated() {
                try rig.record(id(UInt64(number)), client: client, outcome: "rejected")
            }
            let key = try rig.key(.reader).text
            let answer = try await rig.ask("/v1/deliveries?\(query)", key: key)
            let deliveries = try #require(answer.json["deliveries"] as? [[String: Any]])
            #expect(Set(deliveries.map { $0["client"] as? String }) == Set(clients))
            let groups = try await rig.ask("/v1/groups?\(query)", key: key)
            let found = try #require(groups.json["groups"] as? [[String: Any]])
            #expect(Set(found.map { $0["client"] as? String }) == Set(clients))
        }
    }

    @Test func aLookUpByTokenIsInTheAuditAndTakesItsRole() async throws {
        try await APIRig.run { rig in
            try rig.record(sampleID, client: "acme", token: sampleToken)
            let refused = try await rig.ask("/v1/deliveries?token=\(sampleToken)", key: try rig.key(.reader).text)
            #expect(refused.status == 403)
            #expect(try rig.documents("audit").isEmpty)
            let (key, text) = try rig.key(.investigator, .only(["acme"]))
            let answer = try await rig.ask("/v1/deliveries?token=\(sampleToken.uppercased())", key: text)
            #expect(ids(answer) == ["\(sampleID)"])
            let entry = try #require(try rig.documents("audit").first)
            #expect(entry["key"]?.string == key.id)
            #expect(entry["how"]?.string == "GET /v1/deliveries")
            #expect(entry["request"]?.string == answer.headers["x-request-id"])
            #expect(entry["address"]?.string == "127.0.0.1")
            #expect(entry["token"]?.string == SHA256Hasher.digest(of: sampleToken.utf8).hexadecimal)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=10001", "limit=1e2", "limit=-1", "outcome=lost", "outcome=!", "token=xyz", "token=abc",
        "since=soon",
        "since=1h&until=2h", "exact=yes", "exact=true", "priority=11", "nothing=1", "client=", "client=!",
        "batch=a&batch=b",
        "batch=%ff",
        (1...21).map { "client=c\($0)" }.joined(separator: "&"),
    ])
    func aFilterThatCanMatchNothingIsAMistake(query: String) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask("/v1/deliveries?\(query)", key: try rig.key(.steward).text)
            #expect(answer.status == 400)
            #expect(answer.type == "application/problem+json")
        }
    }

    @Test(arguments: ["/v1/deliveries/x", "/v1/deliveries/%00", "/v1/deliveries/\(sampleID)?a=1"])
    func whatCannotBeReadIsRefused(path: String) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask(path, key: try rig.key(.reader).text)
            #expect(answer.status == 400)
            #expect(answer.type == "application/problem+json")
        }
    }
}
