import Logging
import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications

@testable import WaybillSchedule

/// Documents in a real store while the broker takes nothing of what was claimed before.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct DocumentIntakeTests {
    private func insert(_ id: String, into collection: MongoCollection, _ build: (BSONWriter) -> Void) throws {
        let writer = BSONWriter()
        for (name, value) in [("_id", id), ("app", "com.example.parcels"), ("client", "acme")] {
            _ = writer.append(name: name, value: .string(value))
        }
        build(writer)
        let bulk = collection.bulk()
        try bulk.insert(writer)
        try bulk.execute().requireDurable("insert")
    }

    private func claimed(_ number: Int) throws -> PostedStore.Claimed {
        let document = BSONDocument { $0.append("_id", string: "waits-\(number)") }
        let id = try #require(document.identifier("_id"))
        return PostedStore.Claimed(id: id, audience: "waits-\(number)", body: [], begins: 0, claimedAt: 0)
    }

    /// With a connection that nobody opens.
    private func handover(_ control: ScheduleControl, _ database: String) throws -> (AudienceHandover, ScheduleReport) {
        let settings = ScheduleSettings(
            endpoint: try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "tests"),
            queues: QueueNames(prefix: "test"),
            database: database,
            retention: RetentionPolicy(default: .keep),
            rules: PostedRules(client: "acme", examination: nil),
            sweep: .seconds(1)
        )
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let report = ScheduleReport(control: control, logger: logger)
        let broker = BrokerLink(settings: settings, control: control, logger: logger)
        return (AudienceHandover(broker: broker, report: report), report)
    }

    /// What another process has claimed, and has not lived to hand over, ends also while there is no room for it.
    @Test func whatADeadProcessHasClaimedEndsWhenItIsCancelled() throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            for (id, isCancelled) in [("cancelled", true), ("other", false)] {
                try insert(id, into: collection) { writer in
                    writer.append("state", string: "handing_over")
                    for field: StaticString in ["audience", "message"] { writer.append(field, string: id) }
                    for field: StaticString in ["due", "begins"] { writer.append(field, date: 0) }
                    if isCancelled { writer.append("cancel", bool: true) }
                }
            }
            let (handover, _) = try handover(ScheduleControl(), database)
            for number in 0..<PendingAudiences.most { handover.take(try claimed(number)) }
            _ = try handover.turn(PostedStore(client: client, database: database, owner: "a"))
            let states = try collection.find(.empty).all().map { document in
                [document["_id"]?.string, document["state"]?.string]
            }
            #expect(Set(states) == [["cancelled", "sending"], ["other", "handing_over"]])
        }
    }

    /// Has the store refuse a state of one document.
    private func refuse(_ state: String, of id: String, _ client: MongoClient, _ database: String) throws {
        let document = { (one: BSONWriter) in
            one.append("_id", string: id)
            one.append("state", string: state)
        }
        try TestDatabase.refuse(in: "notifications", of: database, client, [document])
    }

    /// A document that the server lets nobody claim is refused with the reason, and the next one is claimed.
    @Test func aDocumentThatTheServerRefusesKeepsNoOtherWaiting() throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            for id in ["bad", "good"] { try insert(id, into: collection) { $0.append("body", string: "Hello") } }
            try refuse("handing_over", of: "bad", client, database)
            let control = ScheduleControl()
            let (handover, report) = try handover(control, database)
            let odd = OddDocuments(logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
            let intake = DocumentIntake(
                rules: PostedRules(client: "acme", examination: nil),
                handover: handover,
                strays: StrayDocuments(control: control, odd: odd, report: report),
                odd: odd,
                report: report
            )
            let posted = PostedStore(client: client, database: database, owner: "a")
            _ = try intake.turn(posted, PostedServices(client: client, database: database, route: nil))
            let bad = try #require(try collection.findOne(BSONDocument { $0.append("_id", string: "bad") }))
            #expect(bad["state"]?.string == "refused")
            #expect(bad["reason"]?.string?.contains("code 121") == true)
            let good = try #require(try collection.findOne(BSONDocument { $0.append("_id", string: "good") }))
            #expect(good["state"]?.string == "handing_over")
            #expect(control.counts.refused == 1)

            // The same where the broker has both.
            try refuse("sending", of: "good", client, database)
            try insert("next", into: collection) { writer in
                writer.append("state", string: "handing_over")
                for field: StaticString in ["audience", "message"] { writer.append(field, string: "next") }
                for field: StaticString in ["due", "begins"] { writer.append(field, date: 0) }
            }
            let claimed = try ["good", "next"].map { name in
                let document = BSONDocument { $0.append("_id", string: name) }
                let id = try #require(document.identifier("_id"))
                return PostedStore.Claimed(id: id, audience: name, body: [], begins: 0, claimedAt: 0)
            }
            let refused = try posted.noteHandedOver(claimed, now: 1)
            #expect(refused.map(\.claimed.audience) == ["good"])
            for (one, refusal) in refused { #expect(try posted.fail(one.id, refusal, now: 2)) }
            let failed = try #require(try collection.findOne(BSONDocument { $0.append("_id", string: "good") }))
            #expect(failed["sent"] == nil, "the broker has it")
            let states = try collection.find(.empty).all().compactMap { document in
                document["state"]?.string.map { (document["_id"]?.string ?? "", $0) }
            }
            #expect(
                Dictionary(uniqueKeysWithValues: states) == ["bad": "refused", "good": "failed", "next": "sending"]
            )
        }
    }

    /// As long as there is room, everything is looked at; then what is cancelled alone, which needs no broker.
    @Test(arguments: [
        (1, ["good": "handing_over", "wrong": "refused", "cancelled": "cancelled", "later": "cancelled"]),
        (PendingAudiences.most, ["cancelled": "cancelled", "later": "cancelled"]),
    ])
    func whatWaitsForTheBrokerKeepsNoOtherFromItsTurn(waiting: Int, states: [String: String]) throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            let posted = PostedStore(client: client, database: database, owner: "a")
            try insert("later", into: collection) { writer in
                writer.append("body", string: "Hello")
                writer.append("state", string: "scheduled")
                writer.append("audience", string: "later")
                for field: StaticString in ["due", "begins"] { writer.append(field, date: 0) }
                writer.append("undecided", bool: true)
                writer.append("cancel", bool: true)
            }
            try insert("good", into: collection) { $0.append("body", string: "Hello") }
            try insert("wrong", into: collection) { _ in }
            try insert("cancelled", into: collection) { writer in
                writer.append("body", string: "Hello")
                writer.append("cancel", bool: true)
            }
            let control = ScheduleControl()
            let (handover, report) = try handover(control, database)
            for number in 0..<waiting { handover.take(try claimed(number)) }
            let odd = OddDocuments(logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
            let intake = DocumentIntake(
                rules: PostedRules(client: "acme", examination: nil),
                handover: handover,
                strays: StrayDocuments(control: control, odd: odd, report: report),
                odd: odd,
                report: report
            )
            #expect(try intake.turn(posted, PostedServices(client: client, database: database, route: nil)) == false)
            let found = try collection.find(.empty).all().compactMap { document in
                document["state"]?.string.map { (document["_id"]?.string ?? "", $0) }
            }
            #expect(Dictionary(uniqueKeysWithValues: found) == states)
        }
    }
}
