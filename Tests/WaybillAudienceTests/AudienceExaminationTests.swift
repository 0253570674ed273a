import Testing
import WaybillCore
import WaybillMessages
import WaybillProviders

@testable import WaybillAudience

struct AudienceExaminationTests {
    private static func message(lane: String?, app: String = "com.example.parcels") -> AudienceMessage {
        AudienceMessage(
            id: "day-17",
            client: "acme",
            lane: lane,
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
}
