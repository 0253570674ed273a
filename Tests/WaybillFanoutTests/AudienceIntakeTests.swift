import Testing
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillMessages
import WaybillProviders

@testable import WaybillFanout

/// Which audience messages are taken, and why the others are not.
struct AudienceIntakeTests {
    private static func intake(_ producers: ProducerRules? = nil) throws -> AudienceIntake {
        AudienceIntake(
            settings: FanoutSettings(
                endpoint: try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "tests"),
                queues: QueueNames(prefix: "test"),
                database: "test",
                lanes: [Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels")],
                limits: DecodingLimits(),
                producers: producers,
                retention: RetentionPolicy(default: .keep),
                apps: ClientApps(["acme": ["com.example.parcels"]]),
                backlog: 10,
                keep: .seconds(60)
            )
        )
    }

    private static func delivery(_ body: String, user: String? = nil) -> AMQPDelivery {
        var properties = AMQPProperties()
        properties.userID = user
        properties.messageID = "m"
        properties.timestamp = 1
        return delivery(properties, body)
    }

    private static func delivery(
        _ properties: AMQPProperties,
        _ body: String = "",
        over exchange: String = ""
    ) -> AMQPDelivery {
        AMQPDelivery(
            deliveryTag: 1,
            isRedelivered: false,
            exchange: exchange,
            routingKey: "",
            properties: properties,
            body: Array(body.utf8)
        )
    }

    private static func body(app: String = "com.example.parcels", lane: String = "parcels") -> String {
        #"""
        {"audience_id":"day-17","client":"acme","lane":"\#(lane)","content":{"payload":{"aps":{"alert":"Hello"}}},
         "select":{"app":"\#(app)","users":["ada"]}}
        """#
    }

    @Test func whatIsInOrderIsTakenAsItCame() throws {
        let body = Self.body()
        let taken = try Self.intake().read(Self.delivery(body), now: 0)
        #expect(taken.message.id == "day-17" && taken.message.lanes == ["parcels"])
    }

    /// The timestamp, else the time in a UUID of version 7; what can be no time of seconds is none.
    @Test(
        arguments: [
            ("m", 1_795_000_000, 1_795_000_000_000), ("m", nil, nil), (nil, nil, nil), ("m", 1_795_000_000_000, nil),
            ("01a1f0e4-5c00-7000-8000-000000000000", nil, 0x01a1_f0e4_5c00),
            ("01a1f0e4-5c00-7000-8000-000000000000", 5, 5000),
        ] as [(String?, UInt64?, Int64?)]
    )
    func itsOwnTimeIsKept(messageID: String?, timestamp: UInt64?, time: Int64?) throws {
        var properties = AMQPProperties()
        properties.messageID = messageID
        properties.timestamp = timestamp
        let delivery = Self.delivery(properties, Self.body())
        #expect(try Self.intake().read(delivery, now: 0).publishedAt == time)
    }

    /// A rejection names the audience and whose it is, so that whoever looks at it can tell.
    @Test(arguments: [
        (body(app: "com.example.chat"), "forbidden_app"), (body(lane: "none"), "unknown_lane"),
    ])
    func whatIsNotIsRejectedUnderItsName(body: String, reason: String) throws {
        let intake = try Self.intake()
        let rejection = #expect(throws: BodyRejection.self) { try intake.read(Self.delivery(body), now: 0) }
        #expect(rejection?.reason == reason)
        #expect(rejection?.envelope.batchID == "day-17" && rejection?.envelope.client == "acme")
    }

    /// What an operator sends again is its first producer's; nobody else's word is taken for that.
    @Test(
        arguments: [
            ("waybill.replay", true, "acme-app"), ("", true, "acme-app"), ("waybill.in", true, "operator"),
            ("other.replay", true, "operator"), ("waybill.replay", false, "operator"), ("", false, "operator"),
        ] as [(String, Bool, String)]
    )
    func whoHasPublishedIt(exchange: String, isReplay: Bool, producer: String) {
        var properties = AMQPProperties(userID: "operator")
        properties.append(.producer, "acme-app")
        if isReplay { properties.append(.replay, true) }
        let delivery = Self.delivery(properties, over: exchange)
        #expect(ReplayMessage.producer(of: delivery, queues: QueueNames(prefix: "waybill")) == producer)
    }

    /// It has the names that can be read also where it has more than it may; of two the first.
    @Test(arguments: [
        (#"{"audience_id":"day-17","client":"acme","bogus":1}"#, "unknown_field", "acme"),
        (#"{"bogus":1,"client":"acme","audience_id":"day-17","client":"other"}"#, "duplicate_field", "acme"),
        (#"{"audience_id":"day-17","audience_id":"day-18","lane":"x"}"#, "duplicate_field", nil),
        (#"{"audience_id":"day-17","client":"acme","lane":}"#, "not_json", "acme"),
        (#"{"audience_id":"day-17","client":7,"bogus":1}"#, "unknown_field", nil),
    ])
    func whatHasMoreThanItMayIsRejectedUnderItsName(body: String, reason: String, client: String?) throws {
        let intake = try Self.intake()
        let rejection = #expect(throws: BodyRejection.self) { try intake.read(Self.delivery(body), now: 0) }
        #expect(rejection?.reason == reason)
        #expect(rejection?.envelope.batchID == "day-17" && rejection?.envelope.client == client)
    }

    /// What an operator sends again is as old as it was; nobody else's word is taken for that, and nothing is of a time to come.
    @Test(
        arguments: [
            ("waybill.replay", true, 5, 5), ("", true, 5, 5), ("", true, 20, 10), ("waybill.in", true, 5, 10),
            ("", false, 5, 10),
        ] as [(String, Bool, Int64, Int64)]
    )
    func whenItWasSeenFirst(exchange: String, isReplay: Bool, said: Int64, time: Int64) {
        var properties = AMQPProperties()
        properties.append(.firstSeen, .int64(said))
        if isReplay { properties.append(.replay, true) }
        let delivery = Self.delivery(properties, over: exchange)
        #expect(ReplayMessage.firstSeen(of: delivery, queues: QueueNames(prefix: "waybill"), now: 10) == time)
    }

    @Test func whatCannotBeReadHasNoName() throws {
        let intake = try Self.intake()
        let rejection = #expect(throws: BodyRejection.self) { try intake.read(Self.delivery("{"), now: 0) }
        #expect(rejection?.reason == "not_json" && rejection?.envelope.batchID == nil)
    }

    @Test(arguments: [
        ("acme-app", nil), ("other-app", "forbidden_client"), ("stranger", "unknown_producer"),
    ])
    func aSenderIsHeldToItsRights(user: String, reason: String?) throws {
        let rules = ProducerRules(
            isStrict: true,
            users: [
                "acme-app": ProducerRules.Rights(clients: ["acme"]),
                "other-app": ProducerRules.Rights(clients: ["other"]),
            ]
        )
        let intake = try Self.intake(rules)
        var found: String?
        do throws(BodyRejection) {
            _ = try intake.read(Self.delivery(Self.body(), user: user), now: 0)
        } catch {
            found = error.reason
        }
        #expect(found == reason)
    }
}
