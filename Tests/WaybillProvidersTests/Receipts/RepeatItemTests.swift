import Testing
import WaybillCore

@testable import WaybillProviders

/// `repeat_until_acknowledged`: who may say it, and what is refused.
struct RepeatItemTests {
    private static let lanes =
        [ReceiptRule.onRequest, .byDefault, .unavailable].map { rule in
            Lane(name: "\(rule)", environment: .production, bundleID: "com.example.parcels", receipts: rule)
        } + [Lane(name: "android", receipts: .onRequest, provider: .fcm(FCMLane(project: "p")))]

    private static func batch(
        _ members: String,
        defaults: String = "{}",
        lane: String = "onRequest",
        family: FamilyMember? = nil
    ) throws -> Batch {
        let body =
            "{\"lane\":\"\(lane)\",\"batch_id\":\"b\",\"defaults\":\(defaults),\"notifications\":["
            + "{\"device_token\":\"\(Samples.otherToken)\",\"message\":\"y\",\"repeat_until_acknowledged\":null},"
            + "{\"device_token\":\"\(Samples.token)\"\(members)}]}"
        let retry = family.map { family in
            RetryHeader(attempt: 1, indexes: [0, 1], identity: family.identity(interval: 60), family: family)
        }
        return try BatchDecoder(limits: DecodingLimits(), lanes: lanes)
            .decode(Array(body.utf8), properties: MessageProperties(retry: retry)).get()
    }

    private static let critical = #","message":"x","delivery_type":"critical","receipt":true"#
    private static let rule = #","repeat_until_acknowledged":{"interval":60,"limit":5}"#

    @Test(
        arguments: [
            (critical + rule, "{}", "onRequest", RepeatRule(interval: 60, limit: 5)),
            (critical, "{}", "onRequest", nil),
            (critical + #","repeat_until_acknowledged":null"#, "{}", "onRequest", nil),
            (
                critical, #"{"repeat_until_acknowledged":{"limit":20,"interval":30}}"#, "onRequest",
                RepeatRule(interval: 30, limit: 20)
            ),
            (
                critical + #","repeat_until_acknowledged":{"\u0069nterval":86400,"limit":1}"#,
                #"{"repeat_until_acknowledged":{"limit":20,"interval":30}}"#, "onRequest",
                RepeatRule(interval: 86_400, limit: 1)
            ),
            // The lane's pushes ask for receipts.
            (
                #","message":"x","delivery_type":"critical""# + rule, "{}", "byDefault",
                RepeatRule(interval: 60, limit: 5)
            ),
            (critical + rule, "{}", "android", RepeatRule(interval: 60, limit: 5)),
        ] as [(String, String, String, RepeatRule?)]
    )
    func whatIsSaidIsRead(members: String, defaults: String, lane: String, rule: RepeatRule?) throws {
        let batch = try Self.batch(members, defaults: defaults, lane: lane)
        #expect(batch.items[1].valid != nil, "\(batch.items[1].invalid?.reason ?? "")")
        #expect(batch.repeats == (rule.map { [1: $0] } ?? [:]))
    }

    private static let form =
        "must be null, or an object of interval, from 30 to 86400 seconds, and limit, from 1 to 20 repeats"

    @Test(arguments: [
        "1", "true", "[]", "{}", #"{"interval":60}"#, #"{"limit":5}"#, #"{"interval":29,"limit":5}"#,
        #"{"interval":86401,"limit":5}"#, #"{"interval":60,"limit":0}"#, #"{"interval":60,"limit":21}"#,
        #"{"interval":60.5,"limit":5}"#, #"{"interval":"60","limit":5}"#, #"{"interval":60,"limit":5,"until":1}"#,
        #"{"interval":60,"interval":60,"limit":5}"#, #"{"interval":99999999999999999999,"limit":5}"#,
    ])
    func whatHasNotItsFormIsTold(value: String) throws {
        let members = Self.critical + ",\"repeat_until_acknowledged\":\(value)"
        for lane in ["onRequest", "android"] {
            let reason = try Self.batch(members, lane: lane).items[1].invalid?.reason
            #expect(reason == "repeat_until_acknowledged: \(Self.form)")
        }
    }

    @Test(
        arguments: [
            (
                #","message":"x","receipt":true"# + rule, "onRequest",
                "repeat_until_acknowledged: goes with delivery_type critical alone"
            ),
            (
                #","message":"x","receipt":true,"delivery_type":"time_sensitive""# + rule, "android",
                "repeat_until_acknowledged: goes with delivery_type critical alone"
            ),
            (
                #","message":"x","delivery_type":"critical""# + rule, "onRequest",
                "repeat_until_acknowledged: needs receipt: true, for only a receipt says that it was acknowledged"
            ),
            (
                #","message":"x","delivery_type":"critical","receipt":false"# + rule, "byDefault",
                "repeat_until_acknowledged: needs receipt: true, for only a receipt says that it was acknowledged"
            ),
            (
                #","message":"x","delivery_type":"critical""# + rule, "unavailable",
                "repeat_until_acknowledged: is not possible: the configuration has no section receipts"
            ),
        ]
    )
    func whatNobodyCouldAcknowledgeIsRefused(members: String, lane: String, reason: String) throws {
        let batch = try Self.batch(members, lane: lane)
        #expect(batch.items[1].invalid?.reason == reason)
        #expect(batch.repeats.isEmpty)
        #expect(batch.items[0].valid != nil, "its neighbour goes on")
    }

    /// A repeat is no family of its own, has an id of its own, and takes the first one's place on the screen.
    @Test(arguments: [nil, Samples.apnsID])
    func aRepeatIsOfItsFamily(givenID: String?) throws {
        let given = givenID.map { ",\"apns_id\":\"\($0)\"" } ?? ""
        let members = Self.critical + Self.rule + #","collapse":"notification""# + given
        let first = try Self.batch(members)
        let notification = try #require(first.items[1].valid)
        let family = FamilyMember(first: notification.id, number: 2, limit: 5, begins: 1_790_000_000_000)
        let again = try Self.batch(members, family: family)
        #expect(again.repeats.isEmpty && !again.hasGivenIDs)
        let repeated = try #require(again.items[1].valid)
        #expect(repeated.id == family.identity(interval: 60).id(at: 1) && repeated.id != notification.id)
        #expect(repeated.fingerprint == nil)
        #expect(repeated.collapseKey == notification.collapseKey)
        #expect(repeated.payload == notification.payload && repeated.asksReceipt)
    }
}
