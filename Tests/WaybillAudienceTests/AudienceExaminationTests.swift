import Testing
import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMessages
import WaybillProviders

@testable import WaybillAudience

struct AudienceExaminationTests {
    private static func message(lane: String?, app: String = "com.example.parcels") -> AudienceMessage {
        AudienceMessage(
            id: "day-17",
            client: "acme",
            lanes: lane.map { [$0] } ?? [],
            content: Array(#"{"payload":{"aps":{"alert":"Hello"}}}"#.utf8),
            selection: AudienceSelection(app: app, kind: .devices(["1"]))
        )
    }

    /// A program that only looks may have a configuration without lanes.
    @Test func withoutLanesItExaminesWhatIsLeft() throws {
        let examination = AudienceExamination(
            lanes: [],
            limits: DecodingLimits(),
            retention: RetentionPolicy(default: .keep),
            apps: ClientApps(["acme": ["com.example.parcels"]])
        )
        #expect(try examination.examine(Self.message(lane: nil), now: 0).isEmpty)
        let named = #expect(throws: BodyRejection.self) { try examination.examine(Self.message(lane: "x"), now: 0) }
        #expect(named?.reason == "unknown_lane")
        let foreign = #expect(throws: BodyRejection.self) {
            try examination.examine(Self.message(lane: nil, app: "com.example.chat"), now: 0)
        }
        #expect(foreign?.reason == "forbidden_app")
    }

    private static let both = [
        Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels"),
        Lane(name: "android", project: "parcels-4711"),
    ]

    private static func examined(_ content: String, lane: String? = nil, apps: [String]) throws(BodyRejection)
        -> [String]
    {
        let examination = AudienceExamination(
            lanes: both,
            limits: DecodingLimits(),
            retention: RetentionPolicy(default: .keep),
            apps: ClientApps()
        )
        let message = AudienceMessage(
            id: "day-17",
            client: "acme",
            lanes: lane.map { [$0] } ?? [],
            content: Array(content.utf8),
            selection: AudienceSelection(apps: apps, kind: .filter(AudienceFilter()))
        )
        return try examination.examine(message, now: 0).map(\.name)
    }

    /// A payload goes over the lanes of its provider; what is said of it there counts.
    @Test func aContentIsExaminedByTheLanesThatItIsFor() throws {
        let apps = ["com.example.parcels", "parcels-4711"]
        #expect(try Self.examined(#""message":"Hello","data":{"n":7}"#, apps: apps) == ["parcels", "android"])
        #expect(try Self.examined(#""payload":{"aps":{"alert":"Hello"}}"#, apps: apps) == ["parcels"])
        #expect(try Self.examined(#""payload":{"notification":{"body":"Hello"}}"#, apps: apps) == ["android"])
        // APNs has push types, whatever the app's own code is told.
        let voip = #""payload":{"data":{"a":"b"}},"push_type":"voip""#
        #expect(try Self.examined(voip, apps: ["com.example.parcels"]) == ["parcels"])
        #expect(try Self.examined(#""payload":{"data":{"a":"b"}}"#, apps: ["com.example.other"]).isEmpty)
        for (content, lane, apps) in [
            // Nobody is left that it is for.
            (#""payload":{"aps":{"alert":"Hello"}}"#, nil, ["parcels-4711"]),
            (#""payload":{"aps":{"alert":"Hello"}}"#, "android", apps),
            (#""payload":{"data":{"a":"b"}}"#, nil, ["com.example.parcels"]),
            (#""payload":{"data":{"a":"b"}}"#, "parcels", apps),
            // One that is for phones of both kinds, and cannot be sent to those of one.
            (#""message":"Hello","data":{"from":"x"}"#, nil, apps),
            (#""message":"Hello","push_type":"alert""#, nil, apps),
        ] as [(String, String?, [String])] {
            let refusal = #expect(throws: BodyRejection.self) { try Self.examined(content, lane: lane, apps: apps) }
            #expect(refusal?.reason == "bad_value")
            #expect(refusal?.detail.hasPrefix("content: ") == true)
        }
    }

    /// Devices are counted by the lanes that they take, and by why they take none.
    @Test func theReachSaysWhoTakesWhichLane() throws {
        func share(_ provider: DeviceProvider, _ app: String, _ environment: Environment?, _ devices: Int)
            -> DeviceShare
        {
            let address = DeviceAddress(provider: provider, app: app, environment: environment, token: "")
            return DeviceShare(address: address, devices: devices)
        }
        let shares = [
            share(.apns, "com.example.parcels", .production, 5), share(.apns, "com.example.parcels", .sandbox, 2),
            share(.fcm, "parcels-4711", nil, 3), DeviceShare(address: nil, devices: 1),
        ]
        func reach(_ content: String) -> AudienceReach {
            let message = AudienceMessage(
                id: "day-17",
                client: "acme",
                content: Array(content.utf8),
                selection: AudienceSelection(
                    apps: ["com.example.parcels", "parcels-4711"],
                    kind: .filter(AudienceFilter())
                )
            )
            return AudienceReach(shares, of: message, over: Self.both)
        }
        let both = reach(#""message":"Hello""#)
        #expect(both.lanes.map(\.name) == ["parcels", "android"] && both.lanes.map(\.devices) == [5, 3])
        #expect(both.withoutLane == 3 && both.withoutContent == 0)
        let raw = reach(#""payload":{"aps":{"alert":"Hello"}}"#)
        #expect(raw.lanes.map(\.devices) == [5] && raw.withoutLane == 3 && raw.withoutContent == 3)
    }
}
