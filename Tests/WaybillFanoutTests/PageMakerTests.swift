import Testing
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillProviders

@testable import WaybillDeviceRegistry
@testable import WaybillFanout

/// Which lane each device of a page takes, and what the dispatchers get of it.
struct PageMakerTests {
    private static let app = "com.example.parcels"
    private static let lanes = [
        Lane(name: "parcels", environment: .production, bundleID: app),
        // The same app once more: whoever names no lane never takes it.
        Lane(name: "reserve", environment: .production, bundleID: app),
        Lane(name: "parcels-sandbox", environment: .sandbox, bundleID: app),
        // Of an app's widget: its devices are the app's.
        Lane(name: "chat", environment: .production, bundleID: "com.example.chat.voip"),
        Lane(name: "android", project: "parcels-4711"),
    ]

    private static func address(
        _ token: String,
        app: String = app,
        _ environment: Environment = .production,
        _ provider: DeviceProvider = .apns
    ) -> DeviceAddress {
        DeviceAddress(provider: provider, app: app, environment: environment, token: token)
    }

    private static func device(_ address: DeviceAddress?) throws -> DevicePosition {
        DevicePosition(id: try #require(BSONIdentifier(objectID: "0123456789abcdef01234567")), address: address)
    }

    private static func phone(_ token: String) -> DeviceAddress {
        DeviceAddress(provider: .fcm, app: "parcels-4711", environment: nil, token: token)
    }

    private static func message(
        lane: String? = nil,
        apps: [String] = [app],
        _ content: String = #""payload":{"aps":{"alert":"Hello"}}"#
    ) -> AudienceMessage {
        AudienceMessage(
            id: "day-17",
            client: "acme",
            lanes: lane.map { [$0] } ?? [],
            content: Array(content.utf8),
            selection: AudienceSelection(apps: apps, kind: .users(["ada"]))
        )
    }

    private static let maker = PageMaker(lanes: lanes)

    private static func page(
        _ devices: [DevicePosition],
        of message: AudienceMessage
    ) -> (page: AudiencePage, leftOut: AudienceLeftOut) {
        maker.page(devices, of: message, isUrgent: true, isLast: true, time: 1_700_000_000)
    }

    @Test(arguments: [
        (address("aa"), nil, 0), (address("aa"), "reserve", 1), (address("aa", .sandbox), nil, 2),
        (address("aa", app: "com.example.chat"), nil, 3), (address("aa", app: "com.example.other"), nil, nil),
        (address("aa"), "chat", nil), (address("aa"), "none", nil), (address("aa", .sandbox), "parcels", nil),
        (address("aa", .production, .fcm), nil, nil),
    ])
    func aDeviceTakesTheFirstLaneOfItsAppAndEnvironment(_ address: DeviceAddress, named name: String?, lane: Int?) {
        let ways = AudienceLanes(Self.message(lane: name), among: Self.lanes)
        #expect(ways.way(of: address) == (lane.map { .lane($0) } ?? .withoutLane))
    }

    /// Of several lanes that are named each device takes its own, and no other one.
    @Test func oneLaneForEachKindOfPhoneMayBeNamed() throws {
        var message = Self.message(#""message":"Hello""#)
        message.lanes = ["reserve", "android"]
        let ways = AudienceLanes(message, among: Self.lanes)
        #expect(ways.way(of: Self.address("aa")) == .lane(1))
        #expect(ways.way(of: Self.phone("T:1")) == .lane(4))
        #expect(ways.way(of: Self.address("aa", .sandbox)) == .withoutLane)
        #expect(try AudienceMessage(decoding: message.encoded()) == message)
    }

    @Test func aPageHasAMessageForEachLaneAndCountsWhoHasNone() throws {
        let devices = try [
            Self.device(Self.address("aa")), Self.device(Self.address("bb", .sandbox)), Self.device(nil),
            Self.device(Self.address("cc")), Self.device(Self.address("dd", app: "com.example.other")),
        ]
        let (page, leftOut) = Self.page(devices, of: Self.message())
        #expect(leftOut == AudienceLeftOut(withoutLane: 2))
        #expect(page.time == 1_700_000_000 && page.isLast)
        #expect(page.messages.map(\.count) == [2, 1])
        #expect(page.messages.map(\.isUrgent) == [true, true])
        // The dispatchers read them as batches of the audience, each in its lane.
        let decoder = BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
        for (message, expected) in zip(page.messages, [("parcels", ["aa", "cc"]), ("parcels-sandbox", ["bb"])]) {
            let batch = try decoder.decode(message.body, properties: MessageProperties()).get()
            #expect(batch.laneName == expected.0)
            #expect(batch.items.count == message.count)
            for token in expected.1 { #expect(String(decoding: message.body, as: UTF8.self).contains("\"\(token)\"")) }
        }
    }

    @Test func theSamePageIsTheSameBytes() throws {
        let devices = try (0..<5).map { try Self.device(Self.address("a\($0)")) }
        let pages = (0..<2).map { _ in
            Self.maker.page(devices, of: Self.message(), isUrgent: false, isLast: false, time: 7).page
        }
        #expect(pages[0] == pages[1])
        let identity = pages.map { $0.messages[0].identity(audience: "day-17", time: 7) }
        #expect(identity[0] == identity[1])
    }

    @Test func whoHasNoLaneMakesNoMessage() throws {
        let devices = [try Self.device(Self.address("aa", app: "com.example.other"))]
        let (page, leftOut) = Self.page(devices, of: Self.message())
        #expect(page.messages.isEmpty && page.isLast && leftOut == AudienceLeftOut(withoutLane: 1))
    }

    private static let both = [app, "parcels-4711"]

    /// What every provider's rules make a payload of goes to all phones; what has one provider's words goes to its phones.
    @Test(arguments: [
        (#""message":"Hello","data":{"n":7}"#, ["parcels", "android"], AudienceLeftOut()),
        (#""payload":{"aps":{"alert":"Hello"}}"#, ["parcels"], AudienceLeftOut(withoutContent: 2)),
        (#""payload":{"n":7},"push_type":"voip""#, ["parcels"], AudienceLeftOut(withoutContent: 2)),
        (#""payload":{"data":{"n":7}},"push_type":"voip""#, ["parcels"], AudienceLeftOut(withoutContent: 2)),
        (#""payload":{"data":{"n":"7"}}"#, ["android"], AudienceLeftOut(withoutContent: 1)),
        (#""payload":{"notification":{"body":"Hello"}}"#, ["android"], AudienceLeftOut(withoutContent: 1)),
    ])
    func aDeviceOfAnotherProviderThanTheContentIsCounted(_ content: String, _ lanes: [String], left: AudienceLeftOut)
        throws
    {
        let devices = try [
            Self.device(Self.address("aa")), Self.device(Self.phone("f:1")), Self.device(Self.phone("f:2")),
        ]
        let (page, leftOut) = Self.page(devices, of: Self.message(apps: Self.both, content))
        #expect(leftOut == left)
        let decoder = BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
        let batches = try page.messages.map { try decoder.decode($0.body, properties: MessageProperties()).get() }
        #expect(batches.map(\.laneName) == lanes)
        for item in batches.flatMap(\.items) {
            if case .invalid(let fault) = item.content { Issue.record("\(fault.reason)") }
        }
    }

    /// One app is treated as two are: its phones get nothing in another provider's words.
    @Test(arguments: [nil, "parcels"])
    func whereOneProviderIsMeantItsPhonesAreCountedToo(lane: String?) throws {
        let message = Self.message(lane: lane, #""payload":{"data":{"n":"7"}}"#)
        let (page, leftOut) = Self.page([try Self.device(Self.address("aa"))], of: message)
        #expect(page.messages.isEmpty && leftOut == AudienceLeftOut(withoutContent: 1))
    }

    @Test func installationsHaveAMessageOfTheirOwn() throws {
        let id = "cXyZ0123456789abcdefgh"
        let devices = [
            try Self.device(Self.phone("f:1")),
            DevicePosition(
                id: try #require(BSONIdentifier(objectID: "0123456789abcdef01234567")),
                address: Self.phone(id),
                isInstallation: true
            ),
        ]
        let (page, _) = Self.page(devices, of: Self.message(apps: Self.both, #""message":"Hello""#))
        let bodies = page.messages.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 2)
        #expect(bodies[0].contains(#"["f:1"]"#) && !bodies[0].contains("token_kind"))
        #expect(bodies[1].contains(#""token_kind":"installation","device_tokens":["\#(id)"]"#))
        let decoder = BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
        let batch = try decoder.decode(page.messages[1].body, properties: MessageProperties()).get()
        guard case .valid(let notification) = batch.items[0].content else { throw Unreadable() }
        #expect(notification.note.isInstallation)
    }

    private struct Unreadable: Error {}
}
