import Foundation
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Critical notifications that are sent again until somebody acknowledges them, through broker, store and programs.
    @Suite struct Repeats {
        /// What a phone has of a push.
        private struct Push {
            let token: String
            let id: String
            let capability: String
            let collapseID: String?
        }

        private func withRig(
            rules: String? = nil,
            _ body: (Rig, FrontDoor) async throws -> Void
        ) async throws {
            let door = try FrontDoor()
            let rig = try await Rig(rules: rules, settings: door.settings) { folder in
                try FrontDoor.writeKeys(in: folder)
                return []
            }
            defer { rig.tearDown() }
            try rig.startDispatcher()
            _ = try rig.start("serve")
            try await body(rig, door)
        }

        private static func message(_ batch: String, limit: Int, more: String = "") -> String {
            #"{"batch_id":"\#(batch)","client":"acme","defaults":{"delivery_type":"critical","receipt":true\#(more),"repeat_until_acknowledged":{"interval":30,"limit":\#(limit)}},"notifications":[{"device_token":"\#(Sample.token("aa", 1))","message":"The house is on fire"}]}"#
        }

        private static func families(in rig: Rig) throws -> [BSONDocument] {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "unacknowledged").find(.empty).all()
            }
        }

        /// Nobody waits for half a minute: one second from one push to the next.
        private static func hurry(_ rig: Rig) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "unacknowledged").bulk()
                let now = Int64(Date().timeIntervalSince1970 * 1000)
                let update = BSONDocument { writer in
                    writer.append("$set") { set in
                        set.append("interval", int: 1)
                        set.append("due", date: now)
                    }
                }
                try bulk.updateMany(filter: .empty, update: update)
                try bulk.execute().requireDurable("hurry")
            }
        }

        private static func end(_ end: String, in rig: Rig) async throws -> BSONDocument {
            try await eventually("its family has ended\n\(rig.log)") {
                try families(in: rig).first?["ended_at"]?.date != nil
            }
            let family = try #require(try families(in: rig).first)
            #expect(family["end"]?.string == end)
            #expect(family["body"] == nil && family["due"] == nil)
            return family
        }

        private static func pushes(_ rig: Rig) throws -> [Push] {
            try rig.simulator.received().compactMap { received in
                guard let payload = received.payload,
                    let members = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any],
                    let id = members["wb_id"] as? String, let capability = members["wb_rcpt"] as? String
                else { return nil }
                #expect(received.apnsID == id)
                return Push(
                    token: received.token ?? "",
                    id: id,
                    capability: capability,
                    collapseID: received.headers["apns-collapse-id"]
                )
            }
        }

        private static func explanation(of id: String, in rig: Rig) throws -> String {
            let told = try rig.waybill("explain", id)
            #expect(told.status == 0, "\(told.errors)")
            // Lines are wrapped.
            return told.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }

        @Test func theyComeUntilTheirLimit() async throws {
            try await withRig { rig, _ in
                try rig.publish(Self.message("fire", limit: 2), timestamp: UInt64(Date().timeIntervalSince1970))
                let first = try #require(try await rig.finalRecords(batch: "fire", count: 1).first)
                let family = try #require(try Self.families(in: rig).first)
                #expect(family["lane"]?.string == "parcels" && family["client"]?.string == "acme")
                #expect(family["number"]?.int == 0 && family["limit"]?.int == 2 && family["interval"]?.int == 30)
                try Self.hurry(rig)
                _ = try rig.start("schedule")
                _ = try await Self.end("limit", in: rig)
                let records = try await rig.finalRecords(batch: "fire", count: 3)
                #expect(Set(records.map(\.id)).count == 3)
                let repeats = records.filter { $0.family != nil }
                #expect(Set(repeats.compactMap(\.family?.number)) == [1, 2])
                #expect(repeats.allSatisfy { $0.family?.first == first.id && $0.family?.of == 2 })
                #expect(records.allSatisfy { $0.outcome == "accepted" && $0.isRepeat == nil && $0.client == "acme" })
                #expect(Set(records.map(\.message)) == ["The house is on fire"])
                let told = try Self.explanation(of: first.id, in: rig)
                #expect(told.contains("sent again 2 times, 2 at the most, every 1 s; ended at"), "\(told)")
                #expect(told.contains("all repeats were sent, and nobody has acknowledged it"), "\(told)")
                let second = try #require(repeats.first { $0.family?.number == 2 })
                let other = try Self.explanation(of: second.id, in: rig)
                #expect(other.contains("repeat 2 of 2 of \(first.id); ended at"), "\(other)")
                // Its record is complete then.
                rig.simulator.stop()
                let pushes = try Self.pushes(rig)
                #expect(Set(pushes.map(\.id)) == Set(records.map(\.id)))
                #expect(Set(pushes.map(\.collapseID)).count == 1, "on the screen they are one")
            }
        }

        /// Of a repeat: whichever of the family it is.
        @Test func anAcknowledgementEndsThem() async throws {
            try await withRig { rig, door in
                try rig.publish(Self.message("fire", limit: 20), timestamp: UInt64(Date().timeIntervalSince1970))
                let first = try #require(try await rig.finalRecords(batch: "fire", count: 1).first)
                try Self.hurry(rig)
                _ = try rig.start("schedule")
                try await eventually("it is sent again\n\(rig.log)") { try Self.pushes(rig).count > 1 }
                let push = try #require(try Self.pushes(rig).first { $0.id != first.id })
                try await eventually("it is acknowledged\n\(rig.log)") {
                    door.say("acknowledged", of: push.id, capability: push.capability) == 204
                }
                let family = try await Self.end("acknowledged", in: rig)
                #expect(family["acknowledged_at"]?.date != nil)
                let sent = try #require(family["number"]?.int)
                #expect(sent < 20)
                #expect(try await rig.finalRecords(batch: "fire", count: Int(sent) + 1).count == Int(sent) + 1)
                for id in [first.id, push.id] {
                    let told = try Self.explanation(of: id, in: rig)
                    #expect(told.contains("stopped because acknowledged at"), "\(told)")
                    #expect(told.contains("by repeat"), "\(told)")
                }
                rig.simulator.stop()
                #expect(try Self.pushes(rig).count == Int(sent) + 1)
            }
        }

        /// Two clients give one id, and both are pushed before either has its record: the device of the other one ends nothing.
        @Test func ofTwoClientsWithOneIDEachAcknowledgesItsOwn() async throws {
            let slow = #"{"rules": [{"token_prefix": "", "delay_ms": 4000, "times": 2}]}"#
            try await withRig(rules: slow) { rig, door in
                let id = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"
                func message(_ client: String, _ token: String, _ more: String) -> String {
                    #"{"batch_id":"\#(client)","client":"\#(client)","notifications":[{"device_token":"\#(token)","#
                        + #""apns_id":"\#(id)","message":"Fire","delivery_type":"critical","receipt":true\#(more)}]}"#
                }
                let repeated = #","repeat_until_acknowledged":{"interval":30,"limit":20}"#
                let time = UInt64(Date().timeIntervalSince1970)
                let (own, other) = (Sample.token("aa", 1), Sample.token("bb", 2))
                try rig.publish(message("acme", own, repeated), timestamp: time)
                try rig.publish(message("globex", other, ""), timestamp: time)
                for client in ["acme", "globex"] {
                    #expect(try await rig.finalRecords(batch: client, count: 1).map(\.outcome) == ["accepted"])
                }
                let pushes = try Self.pushes(rig)
                #expect(pushes.map(\.id) == [id, id] && Set(pushes.map(\.token)) == [own, other])
                func say(_ event: String, by token: String) throws -> Int {
                    let push = try #require(pushes.first { $0.token == token })
                    return door.say(event, of: id, capability: push.capability)
                }
                try await eventually("the other one's device has pressed the button\n\(rig.log)") {
                    try say("acknowledged", by: other) == 204
                }
                try Self.hurry(rig)
                _ = try rig.start("schedule")
                try await eventually("it is sent again all the same\n\(rig.log)") {
                    try Self.families(in: rig).first?["number"]?.int ?? 0 > 1
                }
                #expect(try say("acknowledged", by: own) == 204)
                #expect(try await Self.end("acknowledged", in: rig)["client"]?.string == "acme")
            }
        }

        /// The repeat that ends it is recorded, and was not sent; each of the family says who has cancelled it.
        @Test func aCancellationEndsThem() async throws {
            try await withRig { rig, _ in
                try rig.publish(Self.message("fire", limit: 20), timestamp: UInt64(Date().timeIntervalSince1970))
                let first = try #require(try await rig.finalRecords(batch: "fire", count: 1).first)
                try Self.hurry(rig)
                _ = try rig.start("schedule")
                try await eventually("it is sent again\n\(rig.log)") { try Self.pushes(rig).count > 1 }
                #expect(try rig.waybill("cancel", "fire", "--note", "no fire").status == 0)
                let number = try #require(try await Self.end("cancelled", in: rig)["number"]?.int)
                let records = try await rig.finalRecords(batch: "fire", count: Int(number) + 1)
                let last = try #require(records.first { $0.family?.number == Int(number) })
                #expect(last.outcome == "cancelled" && records.count { $0.outcome == "accepted" } == Int(number))
                let sent = number == 2 ? "sent again once" : "sent again \(number - 1) times"
                for (id, place) in [(first.id, sent), (last.id, "repeat \(number) of 20 of \(first.id)")] {
                    let told = try Self.explanation(of: id, in: rig)
                    #expect(told.contains(place), "\(told)")
                    #expect(told.contains(": its batch was cancelled by ") && told.contains("(no fire)"), "\(told)")
                }
            }
        }

        @Test func whatIsTooLateIsNotSentAgain() async throws {
            try await withRig { rig, _ in
                let seconds = UInt64(Date().timeIntervalSince1970)
                try rig.publish(Self.message("late", limit: 20, more: #","max_age":6"#), timestamp: seconds)
                _ = try await rig.finalRecords(batch: "late", count: 1)
                let ends = try #require(try Self.families(in: rig).first?["ends"]?.date)
                #expect(ends == Int64(seconds + 6) * 1000)
                try Self.hurry(rig)
                _ = try rig.start("schedule")
                let family = try await Self.end("expired", in: rig)
                #expect(try #require(family["ended_at"]?.date) >= ends)
                #expect(try #require(family["number"]?.int) < 20)
            }
        }

        @Test func whatIsSentOnceCostsNoDocument() async throws {
            try await withRig { rig, _ in
                try rig.publish(Sample.batch("plain", tokens: [Sample.token("aa", 1)]))
                _ = try await rig.finalRecords(batch: "plain", count: 1)
                #expect(try Self.families(in: rig).isEmpty)
            }
        }
    }
}
