import Foundation
import Testing
import WaybillAccounts
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// Fuses over HTTP, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct FuseRoutesTests {
    private static let json = ["Content-Type": "application/json"]

    private func post(_ rig: APIRig.Running, _ path: String, key: String, _ body: String? = nil) async throws
        -> APIRig.Answer
    {
        try await rig.ask(path, key: key, method: "POST", headers: Self.json, body: body.map { Data($0.utf8) })
    }

    /// As prune blows them.
    private func blow(_ rig: APIRig.Running, apps: String...) throws {
        try rig.pool.withClient { (client) throws(MongoError) in
            for app in apps {
                let cause = Fuse.Cause(
                    at: 1_790_000_000_000,
                    since: 1_790_000_000_000,
                    answers: 100,
                    invalid: 60,
                    limit: 200,
                    usual: nil,
                    reason: "BadDeviceToken",
                    words: "this looks like the wrong environment"
                )
                let store = FuseStore(client: client, database: rig.database)
                _ = try store.blow(FuseName(lane: "parcels", app: app), cause, known: nil)
            }
        }
    }

    private func fuses(_ rig: APIRig.Running) throws -> [Fuse] {
        try rig.pool.withClient { (client) throws(MongoError) in
            try FuseStore(client: client, database: rig.database).fuses()
        }
    }

    @Test(arguments: [("release", Fuse.State.released), ("discard", .discarded)])
    func aDecisionHasWhoMadeIt(word: String, state: Fuse.State) async throws {
        try await APIRig.run { rig in
            try blow(rig, apps: "com.example.parcels")
            let (key, text) = try rig.key(.operator)
            let shown = try await rig.ask("/v1/fuses", key: text).json["fuses"] as? [[String: Any]]
            let cause = try #require(shown?.first?["cause"] as? [String: Any])
            #expect(cause["words"] as? String == "this looks like the wrong environment")
            #expect(shown?.first?["decided"] == nil)
            let answer = try await post(rig, "/v1/fuses/parcels/\(word)", key: text, #"{"note": "a sandbox app"}"#)
            #expect(answer.status == 202)
            #expect(answer.json["state"] as? String == state.rawValue)
            let fuse = try #require(try fuses(rig).first)
            #expect(fuse.state == state)
            #expect(fuse.decision?.name == "test (\(key.id))")
            #expect(fuse.decision?.note == "a sandbox app")
            #expect(try rig.documents("audit").map { $0["action"]?.string } == ["fuse.\(word)"])
            #expect(try await post(rig, "/v1/fuses/parcels/\(word)", key: text).status == 404)
            let audit = try rig.documents("audit").filter { $0["subject"]?.string == "parcels" }
            let actions = Dictionary(grouping: audit) { $0["request"]?.string }.values.map { entries in
                Set(entries.compactMap { $0["action"]?.string })
            }
            #expect(Set(actions) == [["fuse.\(word)"], ["fuse.\(word)", "fuse.refused"]])
        }
    }

    @Test func ofSeveralItIsSaidWhich() async throws {
        try await APIRig.run { rig in
            try blow(rig, apps: "a", "b")
            let key = try rig.key(.operator).text
            #expect(try await post(rig, "/v1/fuses/parcels/discard", key: key).status == 409)
            #expect(try await post(rig, "/v1/fuses/parcels/discard", key: key, #"{"app": "c"}"#).status == 404)
            #expect(try await post(rig, "/v1/fuses/letters/discard", key: key).status == 404)
            #expect(try await post(rig, "/v1/fuses/parcels/discard", key: key, #"{"app": "b"}"#).status == 202)
            #expect(try fuses(rig).map(\.state) == [.blown, .discarded])
        }
    }

    @Test(arguments: [
        (Role.reader, ClientScope.all, 403), (.investigator, .all, 403), (.operator, .all, 202), (.steward, .all, 202),
        (.operator, .only(["acme"]), 403),
    ])
    func aDecisionTakesItsRole(role: Role, clients: ClientScope, status: Int) async throws {
        try await APIRig.run { rig in
            try blow(rig, apps: "a")
            let key = try rig.key(role, clients).text
            #expect(try await post(rig, "/v1/fuses/parcels/release", key: key).status == status)
            #expect(try fuses(rig).first?.isBlown == (status != 202))
        }
    }
}
