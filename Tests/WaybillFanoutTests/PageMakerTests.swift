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

    private static func message(lane: String? = nil) -> AudienceMessage {
        AudienceMessage(
            id: "day-17",
            client: "acme",
            lane: lane,
            content: Array(#""payload":{"aps":{"alert":"Hello"}}"#.utf8),
            selection: AudienceSelection(app: app, kind: .users(["ada"]))
        )
    }

    private static let maker = PageMaker(lanes: lanes)

    @Test(arguments: [
        (address("aa"), nil, 0), (address("aa"), "reserve", 1), (address("aa", .sandbox), nil, 2),
        (address("aa", app: "com.example.chat"), nil, 3), (address("aa", app: "com.example.other"), nil, nil),
        (address("aa"), "chat", nil), (address("aa"), "none", nil), (address("aa", .sandbox), "parcels", nil),
        (address("aa", .production, .fcm), nil, nil),
    ])
    func aDeviceTakesTheFirstLaneOfItsAppAndEnvironment(_ address: DeviceAddress, named name: String?, lane: Int?) {
        #expect(Self.maker.lane(of: address, named: name) == lane)
    }

    @Test func aPageHasAMessageForEachLaneAndCountsWhoHasNone() throws {
        let devices = try [
            Self.device(Self.address("aa")), Self.device(Self.address("bb", .sandbox)), Self.device(nil),
            Self.device(Self.address("cc")), Self.device(Self.address("dd", app: "com.example.other")),
        ]
        let (page, withoutLane) = Self.maker.page(
            devices,
            of: Self.message(),
            isUrgent: true,
            isLast: true,
            time: 1_700_000_000
        )
        #expect(withoutLane == 2)
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
        let (page, withoutLane) = Self.maker.page(devices, of: Self.message(), isUrgent: false, isLast: true, time: 0)
        #expect(page.messages.isEmpty && page.isLast && withoutLane == 1)
    }
}
