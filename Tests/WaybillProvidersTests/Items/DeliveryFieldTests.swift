import Testing
import WaybillAPNS
import WaybillCore
import WaybillEncoding
import WaybillProviders

/// `max_age`, `collapse`, and what depends on the push type.
struct DeliveryFieldTests {
    private static let lanes = [
        Lane(name: "plain", environment: .production, bundleID: "com.example.parcels"),
        Lane(
            name: "limited",
            environment: .production,
            bundleID: "com.example.parcels",
            maxAge: 300,
            collapse: .notification
        ),
    ]

    private static func item(
        _ members: String,
        defaults: String = "{}",
        lane: String = "plain",
        client: String = "acme"
    )
        throws -> Batch.Item
    {
        let decoder = BatchDecoder(
            limits: DecodingLimits(),
            lanes: lanes,
            clientMaxAges: ["contoso": 200, "caf\u{E9}": 20]
        )
        let body =
            "{\"client\":\"\(client)\",\"lane\":\"\(lane)\",\"batch_id\":\"b\",\"defaults\":\(defaults),"
            + "\"notifications\":[{\"device_token\":\"\(Samples.token)\"\(members)}]}"
        return try decoder.decode(Array(body.utf8), properties: MessageProperties()).get().items[0]
    }

    /// The item's own, the defaults', the client's, the lane's, none.
    @Test(
        arguments: [
            ("", "{}", "plain", "acme", nil), ("", "{}", "limited", "acme", 300), ("", "{}", "limited", "contoso", 200),
            ("", "{}", "plain", "contoso", 200), ("", #"{"max_age":100}"#, "limited", "contoso", 100),
            (#","max_age":50"#, #"{"max_age":100}"#, "limited", "contoso", 50),
            ("", "{}", "plain", "caf\u{E9}", 20), ("", "{}", "plain", "cafe\u{301}", nil),
            // No limit at all, whatever client and lane have.
            (#","max_age":null"#, #"{"max_age":100}"#, "limited", "contoso", nil),
            ("", #"{"max_age":null}"#, "limited", "contoso", nil),
            (#","max_age":31536000"#, "{}", "plain", "acme", 31_536_000),
            (#","max_age":1.0"#, "{}", "plain", "acme", 1),
        ] as [(String, String, String, String, Int?)]
    )
    func theNearestMaxAgeCounts(members: String, defaults: String, lane: String, client: String, maxAge: Int?) throws {
        let item = try Self.item(members + #","message":"x""#, defaults: defaults, lane: lane, client: client)
        #expect(try #require(item.valid).maxAge == maxAge)
    }

    @Test(arguments: ["0", "-1", "1.5", "31536001", "\"60\"", "true"])
    func whatIsNoMaxAge(value: String) throws {
        let item = try Self.item(#","message":"x","max_age":"# + value)
        #expect(item.invalid?.reason == "max_age: must be null, or a whole number of seconds from 1 to 31536000")
    }

    enum Collapse {
        case content, notification, none
        case explicit(String)
    }

    @Test(
        arguments: [
            ("", "{}", "plain", .content), ("", "{}", "limited", .notification),
            (#","collapse":"notification""#, "{}", "plain", .notification),
            (#","collapse":"content""#, "{}", "limited", .content), (#","collapse":"none""#, "{}", "plain", .none),
            ("", #"{"collapse":"none"}"#, "limited", .none),
            (#","collapse":"content""#, #"{"collapse":"none"}"#, "limited", .content),
            // The nearer of the two fields wins.
            (#","collapse":"content""#, #"{"collapse_id":"order-7"}"#, "plain", .content),
            (#","collapse_id":"order-7""#, #"{"collapse":"none"}"#, "plain", .explicit("order-7")),
            (#","collapse_id":null"#, #"{"collapse":"content"}"#, "plain", .none),
            ("", #"{"collapse_id":"order-7"}"#, "limited", .explicit("order-7")),
            // Nothing is derived for what is not seen as an alert; what the producer gives passes.
            (#","push_type":"voip""#, "{}", "plain", .none),
            (#","push_type":"voip","collapse":"notification""#, "{}", "plain", .none),
            (#","push_type":"liveactivity","collapse":"content""#, "{}", "limited", .none),
            (#","push_type":"voip","collapse_id":"call-7""#, "{}", "plain", .explicit("call-7")),
        ] as [(String, String, String, Collapse)]
    )
    func collapse(members: String, defaults: String, lane: String, expected: Collapse) throws {
        let item = try Self.item(members + #","payload":{"a":1}"#, defaults: defaults, lane: lane)
        let notification = try #require(item.valid)
        switch expected {
        case .none: #expect(notification.collapseKey == .none)
        case .explicit(let id): #expect(notification.collapseKey == .explicit(Array(id.utf8)[...]))
        case .notification:
            #expect(notification.collapseKey == .digest(DerivedCollapseID.digest(of: notification.id)))
        case .content:
            let digest = Array(Samples.token.utf8).withUnsafeBufferPointer { token in
                Array(#"{"a":1}"#.utf8).withUnsafeBufferPointer { content in
                    DerivedCollapseID.digest(deviceToken: token, content: content)
                }
            }
            #expect(notification.collapseKey == .digest(digest))
        }
    }

    @Test(
        arguments: [
            (#","collapse":"content","collapse_id":"c""#, "{}", "collapse: must not stand beside collapse_id"),
            (#","collapse":"none","collapse_id":null"#, "{}", "collapse: must not stand beside collapse_id"),
            ("", #"{"collapse":"none","collapse_id":"c"}"#, "defaults.collapse: must not stand beside collapse_id"),
            (#","collapse":"both""#, "{}", "collapse: must be content, notification or none"),
            (#","collapse":null"#, "{}", "collapse: must be a string"),
            ("", #"{"collapse":7}"#, "defaults.collapse: must be a string"),
        ] as [(String, String, String)]
    )
    func whatIsNoCollapse(members: String, defaults: String, reason: String) throws {
        #expect(try Self.item(members + #","message":"x""#, defaults: defaults).invalid?.reason == reason)
    }

    /// A repeat is wanted by itself only where nobody sees it.
    @Test(arguments: APNSPushType.known)
    func onlyAlertsAreRepeatedUnasked(pushType: APNSPushType) throws {
        for collapse in ["", #","collapse_id":"c""#] {
            let members = #","payload":{"a":1},"push_type":"\#(pushType.rawValue)""# + collapse
            let isAlert = pushType == .alert
            #expect(try #require(Self.item(members).valid).onUnknown == (isAlert ? .resend : .record))
            let asked = try #require(Self.item(members + #","on_unknown":"resend""#).valid)
            #expect(asked.onUnknown == .resend)
        }
        let without = #","payload":{"a":1},"push_type":"\#(pushType.rawValue)","collapse":"none""#
        #expect(try #require(Self.item(without).valid).onUnknown == .record)
    }
}
