import Testing
import WaybillAPNS

@Suite("The payload of a Live Activity")
struct LiveActivityPayloadTests {
    private struct Attributes: Encodable {
        let hero: String
    }

    private struct State: Encodable {
        let level: Int
        let text: String
    }

    private static let now = APNSTimestamp(secondsSince1970: 1_700_000_000)
    private static let state = State(level: 3, text: "a/ü")

    private static func text(_ content: some APNSContent) throws -> String {
        String(decoding: try content.payload(custom: nil).bytes, as: UTF8.self)
    }

    @Test("A start has attributes, a state and an alert")
    func start() throws {
        let json = try Self.text(
            .liveActivityStart(
                attributesType: "AdventureAttributes",
                attributes: Attributes(hero: "Panda"),
                contentState: Self.state,
                alert: APNSLiveActivityAlert(title: "Go", body: "It began"),
                timestamp: Self.now
            )
        )
        #expect(
            json == #"{"aps":{"timestamp":1700000000,"event":"start","content-state":{"level":3,"text":"a/ü"},"#
                + #""attributes-type":"AdventureAttributes","attributes":{"hero":"Panda"},"#
                + #""alert":{"title":"Go","body":"It began"}}}"#
        )
    }

    @Test(
        "A start says how the activity gets its updates",
        arguments: [
            (APNSLiveActivityStart.Input.token, #""input-push-token":1"#),
            (.channel("dHN0LXNyY2gtY2hubA=="), #""input-push-channel":"dHN0LXNyY2gtY2hubA==""#),
        ]
    )
    func startWithInput(input: APNSLiveActivityStart.Input, member: String) throws {
        let json = try Self.text(
            .liveActivityStart(
                attributesType: "A",
                attributes: try APNSJSON("{}"),
                contentState: try APNSJSON(#"{"x": [1, 2]}"#),
                alert: APNSLiveActivityAlert(title: "Go", body: "It began", sound: "chime.aiff"),
                timestamp: Self.now,
                staleDate: Self.now + .seconds(60),
                relevanceScore: 75,
                input: input
            )
        )
        #expect(
            json == #"{"aps":{"timestamp":1700000000,"event":"start","content-state":{"x": [1, 2]},"#
                + #""attributes-type":"A","attributes":{},\#(member),"#
                + #""alert":{"title":"Go","body":"It began","sound":"chime.aiff"},"#
                + #""stale-date":1700000060,"relevance-score":75}}"#
        )
    }

    @Test("An update has a state, and an alert if it shall be noticed")
    func update() throws {
        #expect(
            try Self.text(.liveActivityUpdate(contentState: Self.state, timestamp: Self.now))
                == #"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"level":3,"text":"a/ü"}}}"#
        )
        let alert = APNSLiveActivityAlert(
            title: .localized(APNSLocalizedText("%@ is down", arguments: ["Panda"])),
            body: .localized("HELP")
        )
        #expect(
            try Self.text(
                .liveActivityUpdate(
                    contentState: Self.state,
                    alert: alert,
                    timestamp: Self.now,
                    staleDate: APNSTimestamp(secondsSince1970: 1_700_000_001),
                    relevanceScore: -0.5
                )
            )
                == #"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"level":3,"text":"a/ü"},"#
                + #""alert":{"title":{"loc-key":"%@ is down","loc-args":["Panda"]},"body":{"loc-key":"HELP"}},"#
                + #""stale-date":1700000001,"relevance-score":-0.5}}"#
        )
    }

    @Test("An end may have a last state and a time to leave the screen")
    func end() throws {
        #expect(
            try Self.text(.liveActivityEnd(timestamp: Self.now)) == #"{"aps":{"timestamp":1700000000,"event":"end"}}"#
        )
        #expect(
            try Self.text(
                .liveActivityEnd(
                    contentState: Self.state,
                    dismissalDate: APNSTimestamp(secondsSince1970: 0),
                    alert: APNSLiveActivityAlert(title: "Over", body: "\(Self.state.level) left"),
                    timestamp: Self.now
                )
            )
                == #"{"aps":{"timestamp":1700000000,"event":"end","content-state":{"level":3,"text":"a/ü"},"#
                + #""alert":{"title":"Over","body":"3 left"},"dismissal-date":0}}"#
        )
        var end = APNSLiveActivityEnd(timestamp: Self.now)
        end.staleDate = Self.now
        end.relevanceScore = 1
        #expect(
            try Self.text(end)
                == #"{"aps":{"timestamp":1700000000,"event":"end","stale-date":1700000000,"relevance-score":1}}"#
        )
    }

    @Test("Without a timestamp the present is meant")
    func timestamp() throws {
        let before = APNSTimestamp.now
        let update = APNSLiveActivityUpdate(contentState: try APNSJSON("{}"))
        #expect((before...APNSTimestamp.now).contains(update.timestamp))
        #expect(before.secondsSince1970 > 1_700_000_000)
    }

    @Test("Updates and ends can be broadcast, up to 5,120 bytes")
    func broadcast() throws {
        func payload(_ content: some APNSBroadcastContent) throws -> APNSPayload { try APNSPayload(content) }
        try payload(.liveActivityEnd()).checkBroadcastSize()
        try payload(.liveActivityUpdate(contentState: Self.state)).checkBroadcastSize()
        try APNSPayload(json: [UInt8](repeating: 0x20, count: 5120)).checkBroadcastSize()
        for size in [0, 5121] {
            let error = #expect(throws: APNSError.self) {
                try APNSPayload(json: [UInt8](repeating: 0x20, count: size)).checkBroadcastSize()
            }
            #expect(error?.field == "payload")
        }
    }
}
