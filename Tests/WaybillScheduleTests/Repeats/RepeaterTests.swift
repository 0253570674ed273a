import Testing
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillProviders
import WaybillReceipts

@testable import WaybillSchedule

/// Families, records and receipts in a real store: which repeats are sent, and what they are.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct RepeaterTests {
    private static let begins: Int64 = 1_790_000_000_000
    private static let due = begins + 60_000
    private static let first = NotificationID(high: 7, low: 1)

    private struct Bench {
        let client: MongoClient
        let database: String
        let repeater: Repeater

        func enter(content: UInt64? = nil) throws {
            let notification = UnacknowledgedNotification(
                first: RepeaterTests.first,
                content: content,
                client: "acme",
                lane: "parcels",
                rule: RepeatRule(interval: 60, limit: 3),
                begins: RepeaterTests.begins,
                message: UnacknowledgedNotification.Message(
                    body: Array("{}".utf8),
                    messageID: "m",
                    timestamp: 5,
                    producer: "backend",
                    isBulk: true
                )
            )
            let writer = UnacknowledgedWriter(
                client: client,
                database: database,
                retention: RetentionPolicy(default: .keep)
            )
            try writer.enter([notification], now: RepeaterTests.begins)
        }

        func record(_ id: NotificationID, _ outcome: Outcome) throws {
            let bulk = client.collection(database: database, name: "deliveries").bulk()
            let writer = BSONWriter()
            writer.append("_id", uuid: id.high, id.low)
            writer.append("outcome", string: outcome.rawValue)
            writer.append("date", date: RepeaterTests.begins)
            try bulk.insert(writer)
            try bulk.execute().requireDurable("record")
        }

        func acknowledge(
            _ id: NotificationID,
            _ event: ReceiptEvent = .acknowledged,
            content: UInt64? = nil
        ) throws {
            let receipt = DeliveryReceipt(id: id, content: content, event: event, receivedAt: RepeaterTests.begins + 7)
            _ = try WaybillReceipts.ReceiptWriter(client: client, database: database, retention: .keep).store([receipt])
        }

        var family: RepeatedFamily? {
            get throws {
                try FamilyReader(client: client, database: database).families([RepeaterTests.first])[
                    RepeaterTests.first
                ]
            }
        }
    }

    private func withBench(_ body: (Bench) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            let settings = ScheduleSettings(
                endpoint: try AMQPEndpoint(url: "amqp://localhost", password: nil, caFile: nil, connectionName: "test"),
                queues: QueueNames(prefix: "waybill"),
                database: database,
                retention: RetentionPolicy(default: .keep),
                rules: PostedRules(
                    client: "acme",
                    examination: AudienceExamination(
                        lanes: [Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels")],
                        limits: DecodingLimits(),
                        retention: RetentionPolicy(default: .keep),
                        apps: ClientApps([:])
                    )
                ),
                sweep: .seconds(1)
            )
            try body(
                Bench(
                    client: client,
                    database: database,
                    repeater: Repeater(client: client, settings: settings, owner: "a")
                )
            )
        }
    }

    @Test func aRepeatGoesWhereOnlyWaybillWritesUnderAnIDOfItsOwn() throws {
        try withBench { bench in
            try bench.enter()
            try bench.record(Self.first, .accepted)
            try bench.acknowledge(Self.first, .received)
            let claimed = try bench.repeater.claim(now: Self.due)
            let round = try bench.repeater.examine(claimed, now: Self.due)
            #expect(round.others.isEmpty && round.repeats.count == 1)
            let publication = try #require(round.repeats.first).publication(to: QueueNames(prefix: "waybill"))
            #expect(publication.exchange.isEmpty && publication.routingKey == "waybill.retry")
            #expect(publication.body == Array("{}".utf8))
            let header = try #require(try RetryMessage.header(in: publication.properties))
            let member = FamilyMember(first: Self.first, number: 1, limit: 3, begins: Self.begins)
            #expect(header.family == member && header.attempt == 1 && header.indexes == [0])
            #expect(header.identity == member.identity(interval: 60))
            #expect(RetryMessage.producer(in: publication.properties) == "backend")
            #expect(RetryMessage.isBulk(publication.properties) && !RetryMessage.isCopy(publication.properties))
            #expect(publication.properties.isPersistent && publication.properties.messageID == "m")
            try bench.repeater.notePublished(round.repeats, now: Self.due)
            #expect(try bench.family?.number == 1)
            #expect(try bench.family?.due == Self.due + 60_000)
        }
    }

    /// Killed between the publication and its note: the next one publishes the same, and says that it may be there.
    @Test func whatIsPublishedOnceMoreIsTheSame() throws {
        try withBench { bench in
            try bench.enter()
            try bench.record(Self.first, .accepted)
            func round(_ now: Int64) throws -> AMQPPublication {
                let round = try bench.repeater.examine(try bench.repeater.claim(now: now), now: now)
                return try #require(round.repeats.first).publication(to: QueueNames(prefix: "waybill"))
            }
            let before = try round(Self.due)
            let after = try round(Self.due + UnacknowledgedStore.lease)
            #expect(try RetryMessage.header(in: before.properties) == RetryMessage.header(in: after.properties))
            #expect(before.body == after.body)
            #expect(RetryMessage.isCopy(after.properties))
        }
    }

    /// By any of the family, also by one of which nobody knows whether it was published.
    @Test(arguments: [0, 1]) func anAcknowledgementBetweenClaimAndPublicationCounts(number: Int) throws {
        try withBench { bench in
            try bench.enter()
            try bench.record(Self.first, .accepted)
            _ = try bench.repeater.claim(now: Self.due)
            let now = Self.due + UnacknowledgedStore.lease
            let claimed = try bench.repeater.claim(now: now)
            let member = FamilyMember(first: Self.first, number: 1, limit: 3, begins: Self.begins)
            let id = number == 0 ? Self.first : member.id(interval: 60)
            try bench.acknowledge(id)
            let round = try bench.repeater.examine(claimed, now: now)
            #expect(round.repeats.isEmpty)
            try bench.repeater.note(round, now: now)
            let family = try #require(try bench.family)
            #expect(family.end == .acknowledged && family.endedAt == now)
        }
    }

    /// Two clients have given one id at the same moment: the device of the other one ends nothing.
    @Test(arguments: [(5, false), (7, true), (nil, true)] as [(UInt64?, Bool)])
    func onlyItsOwnDeviceEndsIt(content: UInt64?, isEnd: Bool) throws {
        try withBench { bench in
            try bench.enter(content: 7)
            try bench.record(Self.first, .accepted)
            try bench.acknowledge(Self.first, content: content)
            let round = try bench.repeater.examine(try bench.repeater.claim(now: Self.due), now: Self.due)
            #expect(round.repeats.isEmpty == isEnd)
            try bench.repeater.note(round, now: Self.due)
            #expect(try bench.family?.content == 7)
            #expect(try bench.family?.end == (isEnd ? .acknowledged : nil))
        }
    }

    @Test func whatHasEndedOtherwiseIsNotSentAgain() throws {
        try withBench { bench in
            try bench.enter()
            try bench.record(Self.first, .tokenInvalid)
            let round = try bench.repeater.examine(try bench.repeater.claim(now: Self.due), now: Self.due)
            #expect(round.repeats.isEmpty)
            try bench.repeater.note(round, now: Self.due)
            #expect(try bench.family?.end == .tokenInvalid)
        }
    }
}
