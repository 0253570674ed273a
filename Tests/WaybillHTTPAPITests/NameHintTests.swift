import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// What empty answers say of names that nobody has, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct NameHintTests {
    /// Two clients' records of ten minutes ago, counted, and a dispatcher with a lane of which nothing is recorded.
    private func fill(_ rig: APIRig.Running) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let date = now - 600_000
        for (number, client) in ["acme", "globex"].enumerated() {
            // Version 7: by the time in front it is counted.
            let id = NotificationID(high: UInt64(date) << 16 | 0x7000, low: 1 << 63 | UInt64(number))
            try rig.record(id, client: client, date: date, topic: "com.example.parcels")
        }
        try rig.pool.withClient { (client) throws(MongoError) in
            let options = DeliveryLogOptions(database: rig.database, retention: RetentionPolicy(default: .keep))
            _ = try DeliveryLogIndexes.ensure(client: client, database: rig.database)
            let ledger = StatisticsLedger()
            try StatisticsWriter(client: client, database: rig.database, ledger: ledger)
                .doubt([StatisticsMinute(.id, time: date)])
            #expect(try StatisticsRecount(client: client, options: options, ledger: ledger).round().recounted == 1)
            let status = #"{"ready":true,"lanes":[{"name":"fresh","state":"open"}]}"#
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
    }

    @Test(
        arguments: [
            (ClientScope.all, "lane=parcel", "nobody has a lane parcel; known: fresh, parcels"),
            (.all, "client=acm", "nothing was counted in 24 hours for a client acm; known: acme, globex"),
            // Known, and nothing matches: there is nothing to say.
            (.all, "lane=fresh", nil), (.all, "lane=!parcels&client=!acme&client=!globex", nil),
            (.all, "reason=None", nil),
            // What is left out beside it is asked for, too.
            (.all, "client=!acme&client=!globex&lane=!parcel", "nobody has a lane parcel; known: fresh, parcels"),
            // A key for some clients learns of nobody else, whether the name is another's or nobody's.
            (
                .only(["acme"]), "lane=parcel",
                "nothing of your clients was counted in 24 hours for a lane parcel; known: parcels"
            ),
            (
                .only(["acme"]), "lane=fresh",
                "nothing of your clients was counted in 24 hours for a lane fresh; known: parcels"
            ),
            (.only(["acme"]), "client=globex", "nothing was counted in 24 hours for a client globex; known: acme"),
            (.only(["acme"]), "client=nobody", "nothing was counted in 24 hours for a client nobody; known: acme"),
            (.only([]), "lane=parcels&client=acme", nil),
            (.all, "topic=x", "nothing was counted in 24 hours with a topic x; known: com.example.parcels"),
            (.all, "push_type=alerts", "nothing was counted in 24 hours with a push type alerts; known: alert"),
        ] as [(ClientScope, String, String?)]
    )
    func anEmptyAnswerNamesWhatThereIs(clients: ClientScope, query: String, hint: String?) async throws {
        try await APIRig.run { rig in
            try fill(rig)
            let key = try rig.key(.reader, clients).text
            for (path, member) in [("/v1/deliveries?since=1h&", "deliveries"), ("/v1/stats?since=1h&", "rows")] {
                let answer = try await rig.ask(path + query, key: key)
                #expect(answer.status == 200)
                #expect((answer.json[member] as? [Any])?.isEmpty == true)
                #expect(answer.json["hint"] as? String == hint)
            }
        }
    }

    @Test func whatIsFoundNeedsNoHint() async throws {
        try await APIRig.run { rig in
            try fill(rig)
            let key = try rig.key(.reader).text
            for path in ["/v1/deliveries?lane=parcels&lane=parcel", "/v1/stats?since=1h&lane=parcels&lane=parcel"] {
                let answer = try await rig.ask(path, key: key)
                #expect(answer.status == 200)
                #expect(answer.json["hint"] == nil)
            }
        }
    }
}
