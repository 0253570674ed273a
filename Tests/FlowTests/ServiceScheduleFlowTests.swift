import Foundation
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// What services say at a later time by documents in the store: decided when it is due.
    @Suite struct ServiceSchedule {
        private static let app = "com.example.parcels"

        private static func settings() -> String {
            """
            serve:
              listen: 127.0.0.1:8080
              accounts: {base_url: 'https://push.example.com', root_secret_file: root}
              notifire: {services: {app: \(app), lane: parcels}}
            """
        }

        private static func insert(_ collection: String, in rig: Rig, _ build: (BSONWriter) -> Void) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: collection).bulk()
                let writer = BSONWriter()
                build(writer)
                try bulk.insert(writer)
                try bulk.execute().requireDurable("insert")
            }
        }

        /// Somebody with a phone.
        private static func person(_ name: String, in rig: Rig) throws {
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try insert("accounts", in: rig) { writer in
                writer.append("_id", string: "acc_\(name)")
                for field in ["username", "username_key"] { writer.append(name: field, string: name) }
                for field in ["email", "email_key"] { writer.append(name: field, string: "\(name)@example.com") }
                writer.append("password", string: "$")
                writer.append("failures", int: 0)
                writer.append("password_changed_at", date: now)
                writer.append("created_at", date: now)
            }
            try insert("devices", in: rig) { writer in
                writer.append("provider", string: "apns")
                writer.append("app", string: app)
                writer.append("environment", string: "production")
                writer.append("token", string: token(name))
                writer.append("kind", string: "token")
                writer.append("device", string: "phone-\(name)")
                writer.append("enabled", bool: true)
                writer.append("registered_at", date: now)
            }
            try insert("device_links", in: rig) { writer in
                writer.append("app", string: app)
                writer.append("device", string: "phone-\(name)")
                writer.append("user", string: "acc_\(name)")
                writer.append("enabled", bool: true)
                writer.append("since", date: now)
            }
        }

        private static func token(_ name: String) -> String {
            let digits = name.utf8.map { String($0, radix: 16) }.joined()
            return digits + String(repeating: "0", count: 64 - digits.count)
        }

        private static func service(_ id: String, of people: [String], in rig: Rig) throws {
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try insert("services", in: rig) { writer in
                writer.append("_id", string: id)
                writer.append("name", string: "Door")
                for field in ["key_created_at", "created_at", "updated_at"] {
                    _ = writer.append(name: field, value: .date(now))
                }
            }
            for (number, name) in people.enumerated() {
                try insert("memberships", in: rig) { writer in
                    writer.append("service", string: id)
                    writer.append("account", string: "acc_\(name)")
                    writer.append("role", string: number == 0 ? "owner" : "member")
                    writer.append("levels", int: 7)
                    writer.append("joined_at", date: now)
                }
            }
        }

        private static func set(_ field: String, of id: String, in collection: String, _ rig: Rig) throws {
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try rig.pool.withClient { (client) throws(MongoError) in
                _ = try client.collection(database: rig.database, name: collection).findOneAndUpdate(
                    BSONDocument { $0.append("_id", string: id) },
                    update: BSONDocument { update in
                        update.append("$set") { _ = $0.append(name: field, value: .date(now)) }
                    }
                )
            }
        }

        private static func document(_ id: String, in rig: Rig) throws -> BSONDocument? {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "notifications")
                    .findOne(BSONDocument { $0.append("_id", string: id) })
            }
        }

        private static func reached(_ id: String, _ state: String, in rig: Rig) async throws -> BSONDocument {
            try await eventually("\(id) is \(state)\n\(rig.log)", within: 60) {
                try document(id, in: rig)?["state"]?.string == state
            }
            return try #require(try document(id, in: rig))
        }

        /// Nothing is decided of it until its time, and there is no audience that an order could end.
        @Test func whatWaitsForItsTimeIsEndedByAnOrder() async throws {
            let rig = try await Rig(settings: Self.settings())
            defer { rig.tearDown() }
            try Self.person("anna", in: rig)
            try Self.service("door", of: ["anna"], in: rig)
            let schedule = try rig.start("schedule")
            let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
            let names = ["any", "own", "other"]
            for id in names {
                try Self.insert("notifications", in: rig) { writer in
                    writer.append("_id", string: id)
                    writer.append("service", string: "door")
                    writer.append("body", string: "said \(id)")
                    writer.append("at", date: later)
                }
            }
            for id in names { _ = try await Self.reached(id, "scheduled", in: rig) }
            for words in [
                ["cancel", "any"], ["cancel", "own", "--client", "notifire"], ["cancel", "other", "--client", "acme"],
            ] {
                let done = try rig.waybill(words)
                #expect([0, 66].contains(done.status), "\(done.errors)")
            }
            for id in ["any", "own"] {
                let ended = try await Self.reached(id, "cancelled", in: rig)
                #expect(ended["reason"]?.string?.hasPrefix("cancelled by ") == true)
                for field in ["undecided", "due", "cancelled_by"] { #expect(ended[field] == nil) }
            }
            schedule.signal(SIGTERM)
            _ = schedule.wait()
            #expect(try Self.document("other", in: rig)?["state"]?.string == "scheduled")
        }

        /// A suspended service says nothing, and who has left or was suspended since is told nothing.
        @Test func whoIsToldIsDecidedWhenItIsDue() async throws {
            let rig = try await Rig(settings: Self.settings())
            defer { rig.tearDown() }
            for name in ["anna", "ben", "eve", "finn"] { try Self.person(name, in: rig) }
            try Self.service("door", of: ["anna", "ben", "eve"], in: rig)
            try Self.service("gate", of: ["finn"], in: rig)
            try Self.service("yard", of: ["finn", "anna"], in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            let schedule = try rig.start("schedule")
            let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
            for (id, service) in [("d", "door"), ("g", "gate"), ("y", "yard"), ("c", "door")] {
                try Self.insert("notifications", in: rig) { writer in
                    writer.append("_id", string: id)
                    writer.append("service", string: service)
                    writer.append("body", string: "said \(id)")
                    writer.append("at", date: later)
                }
            }
            for id in ["d", "g", "y", "c"] {
                let waiting = try await Self.reached(id, "scheduled", in: rig)
                #expect(waiting["begins"]?.date == later)
            }
            schedule.signal(SIGTERM)
            _ = schedule.wait()
            try rig.pool.withClient { (client) throws(MongoError) in
                let left = BSONDocument { writer in
                    writer.append("service", string: "door")
                    writer.append("account", string: "acc_ben")
                }
                let elsewhere = BSONDocument { update in
                    update.append("$set") { $0.append("service", string: "elsewhere") }
                }
                _ = try client.collection(database: rig.database, name: "memberships")
                    .findOneAndUpdate(left, update: elsewhere)
                // Its time has come.
                let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                let now = Int64(Date().timeIntervalSince1970 * 1000)
                try bulk.updateMany(
                    filter: BSONDocument { $0.append("state", string: "scheduled") },
                    update: BSONDocument { update in
                        update.append("$set") { set in
                            set.append("at", date: now)
                            set.append("due", date: now)
                        }
                    }
                )
                try bulk.updateOne(
                    filter: BSONDocument { $0.append("_id", string: "c") },
                    update: BSONDocument { update in update.append("$set") { $0.append("cancel", bool: true) } },
                    upsert: false
                )
                try bulk.execute().requireDurable("change")
            }
            try Self.set("suspended_at", of: "acc_eve", in: "accounts", rig)
            try Self.set("suspended_at", of: "acc_finn", in: "accounts", rig)
            try Self.set("suspended_at", of: "gate", in: "services", rig)
            _ = try rig.start("schedule")
            let told = try await Self.reached("d", "sent", in: rig)
            #expect(told["handed_over"]?.int == 1 && told["recipients"]?.int == 1 && told["undecided"] == nil)
            for id in ["g", "y"] {
                let reason = try await Self.reached(id, "refused", in: rig)["reason"]?.string
                #expect(reason == "service: is none, or one that may say nothing now")
            }
            _ = try await Self.reached("c", "cancelled", in: rig)
            let records = try await rig.finalRecords(batch: "d", count: 1)
            #expect(records.compactMap(\.deviceToken) == [Self.token("anna")])
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 1)
        }
    }
}
