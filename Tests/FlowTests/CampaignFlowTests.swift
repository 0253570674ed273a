import Foundation
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Campaigns, from the command line to the simulated phones.
    @Suite struct Campaigns {
        private static let app = "com.example.parcels"

        /// A token as long as APNs wants them.
        private static func whole(_ token: String) -> String { token + String(repeating: "0", count: 64 - token.count) }

        private static func register(_ tokens: [String: String?], in rig: Rig) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                for (token, zone) in tokens {
                    let writer = BSONWriter()
                    writer.append("provider", string: "apns")
                    writer.append("app", string: app)
                    writer.append("environment", string: "production")
                    writer.append("token", string: Self.whole(token))
                    writer.append("kind", string: "token")
                    writer.append("device", string: "phone-\(token)")
                    if let zone { writer.append("time_zone", string: zone) }
                    writer.append("enabled", bool: true)
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("register")
            }
        }

        private static func shown(_ name: String, in rig: Rig) throws -> String {
            try rig.waybill("campaign", "show", name, "--json").output
        }

        @Test func itIsPreparedTriedStartedAndSent() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(
                ["aa00000001": "Europe/Vienna", "aa00000002": "Asia/Kolkata", "aa00000003": nil],
                in: rig
            )
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let create = ["campaign", "create", "autumn", "--app", Self.app, "--title", "Autumn", "--body", "New"]
            func run(_ arguments: [String]) throws -> Program.Result {
                try Program.run("waybill", arguments + ["--config", rig.configurationFile.path])
            }
            // A long time ago everywhere, and told at once.
            let past = ["--local-at", "2020-01-01T08:00", "--passed-now", "--client", "acme"]
            #expect(try run(create + past).status == 0)
            #expect(try run(create).status == 65, "the name is taken")
            let preview = try rig.waybill("campaign", "preview", "autumn").output
            #expect(preview.contains(#""title":"Autumn","body":"New""#))
            #expect(preview.hasSuffix("\n3 devices\n"), "\(preview)")
            #expect(try rig.waybill("campaign", "start", "autumn", "--at-most", "2").status == 65)
            #expect(try rig.waybill("campaign", "test", "autumn", "--device", "phone-aa00000002").status == 0)
            try await eventually("the test is there\n\(rig.log)") { try rig.simulator.received().count == 1 }
            #expect(try rig.waybill("campaign", "start", "autumn").status == 0)
            #expect(try rig.waybill("campaign", "start", "autumn").status == 0, "safe to repeat")
            try await eventually("it is done\n\(rig.log)", within: 30) {
                try Self.shown("autumn", in: rig).contains(#""state":"done""#)
            }
            let shown = try Self.shown("autumn", in: rig)
            #expect(shown.contains(#""handed_over":3,"outcomes":{"accepted":3}"#), "\(shown)")
            #expect(try rig.simulator.received().count == 4)
            #expect(try rig.waybill("campaign", "list").output.contains("done        autumn\n"))
        }

        @Test func whatWaitsIsCancelled() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001": "Europe/Vienna", "aa00000002": "Asia/Kolkata"], in: rig)
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let created = try rig.waybill(
                "campaign",
                "create",
                "late",
                "--app",
                Self.app,
                "--body",
                "News",
                "--at",
                "2h"
            )
            #expect(created.status == 0, "\(created.errors)")
            #expect(try rig.waybill("campaign", "start", "late").status == 0)
            try await eventually("it waits\n\(rig.log)") {
                try rig.waybill("campaign", "show", "late").output.contains("2 devices  scheduled")
            }
            #expect(try rig.waybill("campaign", "cancel", "late").status == 0)
            try await eventually("it is cancelled\n\(rig.log)", within: 30) {
                try rig.waybill("campaign", "show", "late").output.contains("2 devices  cancelled, handed over 0")
            }
            #expect(try rig.waybill("campaign", "start", "late").status == 65, "it stays so")
        }
    }
}
