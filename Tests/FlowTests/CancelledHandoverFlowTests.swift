import Foundation
import Glibc
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// What is cancelled while the broker takes nothing, and may have it all the same.
    @Suite struct CancelledHandover {
        private static let app = "com.example.parcels"
        private static let phones = 3

        enum Trouble: CaseIterable {
            /// It reads what was published before when the alarm is over.
            case alarm
            /// It does not answer, and reads on later.
            case silence
        }

        private static func insert(
            into name: String,
            in rig: Rig,
            _ build: (BSONWriter) -> Void
        ) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: name).bulk()
                let writer = BSONWriter()
                build(writer)
                try bulk.insert(writer)
                try bulk.execute().requireDurable("insert")
            }
        }

        private static func register(in rig: Rig) throws {
            for number in 0..<phones {
                try insert(into: "devices", in: rig) { writer in
                    writer.append("provider", string: "apns")
                    writer.append("app", string: app)
                    writer.append("environment", string: "production")
                    writer.append("token", string: "aa\(number)" + String(repeating: "0", count: 61))
                    writer.append("kind", string: "token")
                    writer.append("enabled", bool: true)
                }
            }
        }

        private static func post(_ id: String, in rig: Rig, to users: [String] = []) throws {
            try insert(into: "notifications", in: rig) { writer in
                writer.append("_id", string: id)
                writer.append("app", string: app)
                writer.append("body", string: "Hello \(id)")
                guard !users.isEmpty else { return }
                writer.append("users", array: { array in for user in users { array.append(string: user) } })
            }
        }

        /// The states of all documents.
        private static func states(in rig: Rig) throws -> [String] {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "notifications").find(BSONDocument { _ in }).all()
                    .map { $0["state"]?.string ?? "new" }
            }
        }

        private static func cancel(_ id: String, in rig: Rig) throws {
            _ = try cancel(in: rig) { $0.append("_id", string: id) }
        }

        /// Cancels one that fits.
        ///
        /// - Returns: whether there was one.
        private static func cancel(in rig: Rig, _ filter: (BSONWriter) -> Void) throws -> Bool {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "notifications").findOneAndUpdate(
                    BSONDocument(filter),
                    update: BSONDocument { update in update.append("$set") { $0.append("cancel", bool: true) } },
                    maximumTime: .seconds(5)
                ) != nil
            }
        }

        /// Cancels all that are in a state.
        private static func cancelAll(in rig: Rig, state: String?) throws {
            let fits = { (writer: BSONWriter) in
                if let state { writer.append("state", string: state) } else { writer.appendNull("state") }
                writer.append("cancel") { $0.append("$exists", bool: false) }
            }
            while try cancel(in: rig, fits) {}
        }

        private static func during(
            _ trouble: Trouble,
            _ services: TestServices,
            _ body: () async throws -> Void
        ) async throws {
            guard trouble == .silence else { return try await services.withAlarm(body) }
            try services.signalBroker(SIGSTOP)
            defer { try? services.signalBroker(SIGCONT) }
            try await body()
        }

        @Test(arguments: Trouble.allCases) func nothingOfItIsSent(trouble: Trouble) async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services)
            defer { rig.tearDown() }
            try Self.register(in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            for words in ["fanout.consuming", "schedule.started"] {
                try await eventually("\(words); log: \(rig.log)") { rig.log.contains(words) }
            }
            let create = ["campaign", "create", "news", "--app", Self.app, "--body", "News"]
            #expect(try rig.waybill(create).status == 0)
            try await Self.during(trouble, services) {
                let started = try rig.waybill("campaign", "start", "news")
                #expect(started.status == 0, "\(started.errors)")
                try Self.post("plain", in: rig)
                try await eventually("both are there; log: \(rig.log)") {
                    let states = try Self.states(in: rig)
                    return states.count == 2 && states.contains("handing_over")
                }
                // It is published by then, and nobody knows whether the broker has it.
                try await Task.sleep(for: .seconds(3))
                let cancelled = try rig.waybill("campaign", "cancel", "news")
                #expect(cancelled.status == 0, "\(cancelled.errors)")
                try Self.cancel("plain", in: rig)
                try await eventually("the campaign's end is told; log: \(rig.log)", within: 60) {
                    try rig.waybill("campaign", "show", "news").output.contains("cancelled, handed over 0")
                }
            }
            // Whatever was published before is read before it, or soon.
            try Self.post("after", in: rig)
            try await eventually("all have ended; log: \(rig.log)", within: 90) {
                try Self.states(in: rig).sorted() == ["cancelled", "cancelled", "sent"]
            }
            try await eventually("nothing waits") { try rig.depth(of: rig.queues.audience) == 0 }
            try await Task.sleep(for: .seconds(2))
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == Self.phones)
        }

        /// Whether it ends soon does not hang on what `schedule` knew of the alarm when it published.
        @Test func itEndsAlsoWhereTheAlarmWasUnknown() async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services)
            defer { rig.tearDown() }
            try Self.register(in: rig)
            let first = try rig.start("schedule")
            try await eventually("started; log: \(rig.log)") { rig.log.contains("schedule.started") }
            // As much as no socket takes in at once.
            let users = (0..<500).map { "\($0)" + String(repeating: "u", count: 240) }
            try await services.withAlarm {
                for number in 0..<70 { try Self.post("n\(number)", in: rig, to: users) }
                try await eventually("the alarm is known; log: \(rig.log)") {
                    rig.log.contains("schedule.brokerBlocked")
                }
                try await eventually("50 are claimed; log: \(rig.log)") {
                    try Self.states(in: rig).count { $0 == "handing_over" } == 50
                }
                try Self.cancelAll(in: rig, state: nil)
                try await eventually("20 have ended; log: \(rig.log)", within: 60) {
                    try Self.states(in: rig).count { $0 == "cancelled" } == 20
                }
                first.signal(SIGKILL)
                _ = first.wait()
                for number in 0..<10 { try Self.post("late\(number)", in: rig) }
                try Self.cancelAll(in: rig, state: "handing_over")
                _ = try rig.start("schedule")
                // They are claimed by one that is no more, and followed as audiences once they are given up.
                try await eventually("none is handed over any more; log: \(rig.log)", within: 90) {
                    try Self.states(in: rig).count { $0 == "cancelled" } == 70
                }
            }
            // The connection that knew of the alarm was kept.
            #expect(!rig.log.contains("schedule.brokerFailed"), "\(rig.log)")
        }
    }
}
