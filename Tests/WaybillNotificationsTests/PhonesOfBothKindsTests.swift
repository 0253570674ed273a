import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillProviders

@testable import WaybillNotifications

/// What a service says, as phones of both kinds get it.
struct PhonesOfBothKindsTests {
    private static let lanes = [
        Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels"),
        Lane(name: "android", project: "acme-parcels"),
    ]
    private static let face = ServiceFace(id: "s-1", name: "Backups", image: "https://push.example.com/i")
    private static let time: Int64 = 1_790_000_000_123

    private static func content(_ level: NotificationLevel) -> ServiceNotification {
        var content = ServiceNotification(level: level, body: "Größe \"x\"", text: "more", url: "https://e.example/1")
        content.title = level == .info ? nil : "Title"
        content.collapseID = "disk"
        content.expiration = 1_790_000_600
        content.data = Array(#"{"n":[1,"ü"]}"#.utf8)
        return content
    }

    private static func messages(_ content: ServiceNotification, _ tokens: PhoneTokens, fcm: Bool = true) -> [[UInt8]] {
        var messages = NotificationMessages(
            id: "n-1",
            client: "notices",
            service: face.id,
            lanes: NotificationLanes(apns: "parcels", fcm: fcm ? "android" : nil)
        )
        messages.expiration = content.expiration
        messages.collapseID = content.collapseID(of: face.id)
        return messages.bodies(tokens, content.contents(id: "n-1", face, time: time))
    }

    private static func object(_ body: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }

    private static let phones = PhoneTokens(
        apns: ["bb", "aa"],
        registrations: ["T:2", "T:1"],
        installations: ["cXyZ0123456789abcdefgh"]
    )

    /// What dispatchers make of a body; its items are valid.
    private static func payloads(_ body: [UInt8]) throws -> [String] {
        let batch = try BatchDecoder(limits: DecodingLimits(), lanes: lanes)
            .decode(body, properties: MessageProperties()).get()
        return try batch.items.map { item in
            guard case .valid(let notification) = item.content else {
                throw Invalid(words: "\(item.content)")
            }
            return String(decoding: notification.payload, as: UTF8.self)
        }
    }

    private struct Invalid: Error {
        let words: String
    }

    @Test func eachKindHasAMessageOfItsOwn() throws {
        let bodies = Self.messages(Self.content(.error), Self.phones)
        let objects = try bodies.map(Self.object)
        #expect(objects.map { $0["lane"] as? String } == ["parcels", "android", "android"])
        #expect(
            objects.map { $0["device_tokens"] as? [String] }
                == [["aa", "bb"], ["T:1", "T:2"], ["cXyZ0123456789abcdefgh"]]
        )
        #expect(objects.map { $0["token_kind"] as? String } == [nil, nil, "installation"])
        for object in objects {
            #expect(object["batch_id"] as? String == "n-1")
            #expect(object["service_id"] as? String == "s-1")
            #expect(object["expiration"] as? Int == 1_790_000_600)
            #expect((object["collapse_id"] as? String)?.count == 64)
        }
        #expect(Self.messages(Self.content(.error), Self.phones, fcm: false) == [bodies[0]])
    }

    @Test(arguments: NotificationLevel.allCases)
    func dispatchersTakeEveryLevel(level: NotificationLevel) throws {
        let bodies = Self.messages(Self.content(level), Self.phones)
        #expect(try bodies.map { try Self.payloads($0).count } == [2, 2, 1])
        let message = try Self.object(Array(try #require(try Self.payloads(bodies[1]).first).utf8))
        let data = try #require(message["data"] as? [String: String])
        let isShown = level == .info || level == .warning
        let shown = message["notification"] as? [String: String]
        #expect((shown == nil) == !isShown)
        let texts = try #require(isShown ? shown : data)
        #expect(texts["body"] == "Größe \"x\"")
        #expect(texts["title"] == (level == .info ? "Backups" : "Title"))
        let types: [NotificationLevel: String] = [
            .info: "normal", .warning: "normal", .error: "time_sensitive", .critical: "critical",
        ]
        #expect(data["wb_type"] == types[level])
        #expect(data["data"] == #"{"n":[1,"ü"]}"#)
        #expect(data["thread_id"] == "s-1")
        // The same object as Apple's phones get.
        let apple = try Self.object(Self.content(level).payload(id: "n-1", Self.face, time: Self.time))
        let said = try Self.object(Array(try #require(data["notification"]).utf8))
        #expect(NSDictionary(dictionary: said).isEqual(to: try #require(apple["notification"] as? [String: Any])))
    }

    /// The default expiration follows the delivery type, whatever kind of phone it is for.
    @Test(arguments: NotificationLevel.allCases)
    func bothKindsHaveOneDefaultExpiration(level: NotificationLevel) throws {
        var content = Self.content(level)
        content.expiration = nil
        for body in Self.messages(content, Self.phones) {
            let batch = try BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
                .decode(body, properties: MessageProperties(timestampMilliseconds: Self.time)).get()
            for item in batch.items {
                guard case .valid(let notification) = item.content else { throw Invalid(words: "\(item.content)") }
                let seconds: Int64 = level == .critical ? 3_600 : 86_400
                #expect(notification.expiration == .at(Self.time / 1000 + seconds))
            }
        }
    }

    /// The fields mean for APNs what the payload says.
    @Test(arguments: NotificationLevel.allCases)
    func theFieldsAreThePayload(level: NotificationLevel) throws {
        let contents = Self.content(level).contents(id: "n-1", Self.face, time: Self.time)
        let body =
            Array(#"{"lane":"parcels","#.utf8) + contents.fields + Array(#","device_tokens":["aa"]}"#.utf8)
        let made = try Self.object(Array(try #require(try Self.payloads(body).first).utf8))
        #expect(NSDictionary(dictionary: made).isEqual(to: try Self.object(contents.payload)))
    }

    /// A payload that is not too large for Apple's phones is not too large for Google's.
    @Test(arguments: NotificationLevel.allCases)
    func oneLimitIsEnough(level: NotificationLevel) throws {
        var content = ServiceNotification(level: level, body: "")
        let empty = content.payload(id: "n-1", Self.face, time: Self.time).count
        for (text, size) in [("x", 1), ("ü", 2)] {
            content.body = String(repeating: text, count: (ServiceNotification.payloadBytes - empty) / size)
            #expect(try Self.messages(content, Self.phones).map { try Self.payloads($0).count } == [2, 2, 1])
        }
    }

    /// More than one message takes are parts of the batch, each with a name of its own.
    @Test func manyPhonesAreSeveralParts() throws {
        var phones = Self.phones
        phones.apns = Set((0..<1001).map { String(format: "%08x", $0) })
        let objects = try Self.messages(Self.content(.info), phones).map(Self.object)
        #expect(objects.map { $0["batch_id"] as? String } == ["n-1.1", "n-1.2", "n-1.3", "n-1.4"])
        #expect(objects.map { ($0["device_tokens"] as? [String])?.count } == [1000, 1, 2, 1])
    }

    /// What was read is taken away without a sound.
    @Test func whatWasReadIsSilent() throws {
        let read = ReadPush(.one(id: "n-1", service: "s-1"), by: "acc_a")
        var messages = NotificationMessages(
            id: "n-1.read",
            client: "notices",
            service: "s-1",
            lanes: NotificationLanes(apns: "parcels", fcm: "android")
        )
        messages.pushType = "background"
        let bodies = messages.bodies(Self.phones, read.contents)
        #expect(try bodies.map { try Self.payloads($0).count } == [2, 2, 1])
        #expect(try Self.object(bodies[0])["push_type"] as? String == "background")
        let message = try Self.object(Array(try #require(try Self.payloads(bodies[1]).first).utf8))
        #expect(message["notification"] == nil)
        let text = try #require((message["data"] as? [String: String])?["read"])
        #expect(
            try NSDictionary(dictionary: Self.object(Array(text.utf8)))
                .isEqual(to: ["notification": "n-1", "serviceUUID": "s-1"])
        )
    }
}
