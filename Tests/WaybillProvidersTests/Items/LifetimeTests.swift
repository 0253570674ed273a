import Testing
import WaybillCore

@testable import WaybillProviders

/// How long a provider keeps what its message does not say it of.
struct LifetimeTests {
    private static let time: Int64 = 1_795_000_000
    private static let day = Expiration.at(time + 86_400)
    private static let hour = Expiration.at(time + 3_600)

    private static func lanes(_ expiration: LaneExpiration?) -> [Lane] {
        [
            Lane(name: "apns", environment: .production, bundleID: "com.example.parcels", expiration: expiration),
            Lane(name: "fcm", project: "parcels-4711", expiration: expiration),
        ]
    }

    private static func notification(
        _ members: String,
        defaults: String = "",
        lane: String = "apns",
        expiration: LaneExpiration? = nil,
        properties: MessageProperties = MessageProperties(timestampMilliseconds: time * 1000 + 999)
    ) throws -> WaybillCore.Notification {
        let body =
            #"{"lane":"\#(lane)","defaults":{\#(defaults)},"notifications":[{"device_token":"\#(Samples.token)",\#(members)}]}"#
        let batch = try BatchDecoder(limits: DecodingLimits(), lanes: lanes(expiration))
            .decode(Array(body.utf8), properties: properties).get()
        return try #require(batch.items[0].valid, "\(batch.items[0].invalid?.reason ?? "")")
    }

    private static let message = #""message":"x""#

    @Test(
        arguments: [
            (message, day), (#""payload":{"aps":{"alert":"x"}}"#, day), (message + #","push_type":"alert""#, day),
            (message + #","delivery_type":"normal""#, day), (message + #","delivery_type":"time_sensitive""#, day),
            (message + #","delivery_type":"critical""#, hour),
            // A payload's own words are not the delivery type.
            (#""payload":{"aps":{"interruption-level":"critical"}}"#, day),
            (#""payload":{"aps":{"content-available":1}}"#, .immediate),
            (#""payload":{"aps":{"content-available":1}},"delivery_type":"silent""#, .immediate),
            (#""payload":{},"push_type":"voip""#, .immediate), (#""payload":{},"push_type":"background""#, .immediate),
            (#""payload":{},"push_type":"liveactivity""#, .immediate),
            (#""payload":{},"push_type":"new-type""#, .immediate),
        ] as [(String, Expiration)]
    )
    func hasDefaultAtAPNs(members: String, expected: Expiration) throws {
        let notification = try Self.notification(members)
        #expect(notification.expiration == expected && notification.expirationFrom == .default)
    }

    @Test(
        arguments: [
            (message, day), (message + #","delivery_type":"time_sensitive""#, day),
            (message + #","delivery_type":"critical""#, hour), (#""payload":{"data":{"a":"b"}}"#, day),
            (#""payload":{"data":{"a":"b"}},"delivery_type":"silent""#, day),
            (#""payload":{"android":{"priority":"HIGH"}},"delivery_type":"critical""#, hour),
        ] as [(String, Expiration)]
    )
    func hasDefaultAtFCM(members: String, expected: Expiration) throws {
        let notification = try Self.notification(members, lane: "fcm")
        #expect(notification.expiration == expected && notification.expirationFrom == .default)
    }

    @Test(arguments: ["apns", "fcm"])
    func keepsWhatMessageSays(lane: String) throws {
        for laneExpiration in [nil, .after(60), .immediate, .absent] as [LaneExpiration?] {
            for (said, expected) in [
                ("0", .immediate), ("null", .absent), ("1800000000", .at(1_800_000_000)),
            ] as [(String, Expiration)] {
                let members = "\"expiration\":\(said)"
                for (own, defaults) in [(members, ""), ("\"x-a\":1", members)] {
                    let notification = try Self.notification(
                        "\(Self.message),\(own)",
                        defaults: defaults,
                        lane: lane,
                        expiration: laneExpiration
                    )
                    #expect(notification.expiration == expected && notification.expirationFrom == .message)
                }
            }
        }
    }

    @Test(
        arguments: [
            (.after(60), .at(time + 60)), (.immediate, .immediate), (.absent, .absent),
        ] as [(LaneExpiration, Expiration)]
    )
    func laneReplacesDefault(setting: LaneExpiration, expected: Expiration) throws {
        for lane in ["apns", "fcm"] {
            for members in [Self.message, Self.message + #","delivery_type":"critical""#] {
                let notification = try Self.notification(members, lane: lane, expiration: setting)
                #expect(notification.expiration == expected && notification.expirationFrom == .lane)
            }
        }
        // Where the default is 0, the lane changes nothing.
        for members in [
            #""payload":{},"push_type":"voip""#, #""payload":{"aps":{"content-available":1}}"#,
            #""payload":{"aps":{}},"delivery_type":"silent""#,
        ] {
            let notification = try Self.notification(members, expiration: setting)
            #expect(notification.expiration == .immediate && notification.expirationFrom == .default)
        }
    }

    @Test(arguments: [nil, .after(60), .absent] as [LaneExpiration?])
    func payloadsOwnLifeStays(setting: LaneExpiration?) throws {
        let notification = try Self.notification(
            #""payload":{"android":{"ttl":"5s"}}"#,
            lane: "fcm",
            expiration: setting
        )
        #expect(notification.expiration == .immediate && notification.expirationFrom == .message)
        #expect(FCMSamples.body(notification, at: Self.time).contains(#""ttl":"5s""#))
        let both = try Self.notification(
            #""payload":{"android":{"ttl":"5s"}},"expiration":1800000000"#,
            lane: "fcm",
            expiration: setting
        )
        #expect(both.expiration == .at(1_800_000_000) && both.expirationFrom == .message)
    }

    /// Items share the settings that their message has in common.
    @Test func aLifeOfOnePayloadIsItsOwn() throws {
        let body =
            #"{"lane":"fcm","notifications":[{"device_token":"a","payload":{"android":{"ttl":"5s"}}},{"device_token":"b","payload":{"data":{"a":"b"}}}]}"#
        let batch = try BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes(nil))
            .decode(Array(body.utf8), properties: MessageProperties(timestampMilliseconds: Self.time * 1000)).get()
        #expect(batch.items.compactMap(\.valid?.expiration) == [.immediate, Self.day])
    }

    // MARK: - The time from which a default counts

    @Test func countsFromTimeInMessageID() throws {
        let properties = MessageProperties(
            messageID: "0192f0c1-2345-7abc-8def-0123456789ab",
            firstSeenMilliseconds: Self.time * 1000
        )
        let notification = try Self.notification(Self.message, properties: properties)
        #expect(notification.expiration == .at(1_730_616_042 + 86_400))
    }

    @Test func countsFromFirstSightWithoutTime() throws {
        let seen = MessageProperties(messageID: "m", firstSeenMilliseconds: Self.time * 1000)
        #expect(try Self.notification(Self.message, properties: seen).expiration == Self.day)
        let both = MessageProperties(timestampMilliseconds: Self.time * 1000, firstSeenMilliseconds: 7_000)
        #expect(try Self.notification(Self.message, properties: both).expiration == Self.day)
        // A message that is only examined has neither.
        #expect(try Self.notification(Self.message, properties: MessageProperties()).expiration == .immediate)
    }

    @Test func isTheSameAtEachPass() throws {
        let digest = MessageDigest(high: 1, low: 2)
        for time in [nil, UInt64(Self.time) * 1000] {
            var properties = MessageProperties(firstSeenMilliseconds: Self.time * 1000)
            properties.retry = RetryHeader(
                attempt: 3,
                indexes: [0],
                identity: MessageIdentity(milliseconds: time, digest: digest)
            )
            #expect(try Self.notification(Self.message, properties: properties).expiration == Self.day)
        }
    }

    /// Each repeat counts from its own first sight, and not from the time of the first one.
    @Test func eachRepeatCountsItsOwn() throws {
        let family = FamilyMember(
            first: NotificationID(high: 1, low: 2),
            number: 3,
            limit: 20,
            begins: (Self.time - 500_000) * 1000
        )
        let header = RetryHeader(
            attempt: 1,
            indexes: [0],
            identity: family.identity(interval: 60),
            family: family
        )
        let properties = MessageProperties(
            timestampMilliseconds: family.begins,
            firstSeenMilliseconds: Self.time * 1000,
            retry: header
        )
        let critical = Self.message + #","delivery_type":"critical""#
        #expect(try Self.notification(critical, properties: properties).expiration == Self.hour)
    }

    @Test func neverExceedsGreatestExpiration() throws {
        let properties = MessageProperties(timestampMilliseconds: (1 << 48) - 1)
        #expect(try Self.notification(Self.message, properties: properties).expiration == .at(4_294_967_295))
    }
}
