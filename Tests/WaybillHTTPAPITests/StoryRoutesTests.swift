import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// Batches, groups and statistics, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct StoryRoutesTests {
    private func id(_ number: UInt64) -> NotificationID {
        NotificationID(high: (1_700_000_000_000 + number) << 16 | 0x7000, low: 1 << 63 | number)
    }

    private func fill(_ rig: APIRig.Running) throws {
        for number in 0..<6 {
            let outcome = number < 4 ? "accepted" : "rejected"
            try rig.record(
                id(UInt64(number)),
                client: number.isMultiple(of: 2) ? "acme" : "globex",
                outcome: outcome,
                batch: "b1"
            )
        }
    }

    @Test(arguments: [(ClientScope.all, 6), (.only(["acme"]), 3), (.only(["acme", "globex"]), 6)])
    func aBatchAsFarAsTheKeySeesIt(clients: ClientScope, total: Int) async throws {
        try await APIRig.run { rig in
            try fill(rig)
            let answer = try await rig.ask("/v1/batches/b1", key: try rig.key(.reader, clients).text)
            #expect(answer.status == 200)
            #expect(answer.json["total"] as? Int == total)
            #expect(answer.json["batch_id"] as? String == "b1")
            let parts = answer.json["parts"] as? [[String: Any]]
            #expect(parts?.count == 1)
            #expect(parts?.first?["count"] as? Int == total)
            #expect(answer.json["part_count"] as? Int == 1)
        }
    }

    @Test func aBatchOfSomebodyElseIsNotThere() async throws {
        try await APIRig.run { rig in
            try fill(rig)
            let key = try rig.key(.steward, .only(["initech"])).text
            let foreign = try await rig.ask("/v1/batches/b1", key: key)
            let none = try await rig.ask("/v1/batches/b2", key: key)
            #expect(foreign.status == 404)
            #expect(foreign.json["detail"] as? String == none.json["detail"] as? String)
        }
    }

    @Test(arguments: [
        (ClientScope.all, "", 2), (.only(["acme"]), "", 1), (.only(["acme"]), "?client=globex", 0),
        (.all, "?client=globex", 1), (.all, "?outcome=accepted", 2), (.all, "?batch=b2", 0),
        (.all, "?outcome=!rejected", 0), (.all, "?outcome=!expired", 2), (.all, "?reason=!BadTopic", 2),
    ])
    func whatFailedAlikeIsAGroup(clients: ClientScope, query: String, count: Int) async throws {
        try await APIRig.run { rig in
            try fill(rig)
            let answer = try await rig.ask("/v1/groups\(query)", key: try rig.key(.reader, clients).text)
            #expect(answer.status == 200)
            #expect((answer.json["groups"] as? [[String: Any]])?.count == count)
        }
    }

    @Test func statisticsHaveRows() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader, .only(["acme"])).text
            let answer = try await rig.ask("/v1/stats?since=2h&every=5m&by=reason&outcome=rejected,accepted", key: key)
            #expect(answer.status == 200)
            #expect(answer.json["minutes_in_doubt"] as? Int == 0)
            #expect((answer.json["rows"] as? [[String: Any]])?.isEmpty == true)
        }
    }

    @Test(arguments: [
        "/v1/stats?every=30s", "/v1/stats?every=2w", "/v1/stats?by=token", "/v1/stats?outcome=deferred",
        "/v1/stats?outcome=!deferred", "/v1/stats?until=2000-01-01&since=1h", "/v1/stats?batch=a",
        "/v1/groups?token=abcd",
        "/v1/groups?limit=5", "/v1/groups?outcome=", "/v1/groups?outcome=,", "/v1/stats?outcome=",
        "/v1/stats?outcome=accepted,", "/v1/stats?receipts=1", "/v1/stats?receipts=",
    ])
    func whatCannotBeMeantIsRefused(path: String) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask(path, key: try rig.key(.steward).text)
            #expect(answer.status == 400)
        }
    }
}
