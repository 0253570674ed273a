import Testing
import WaybillAPNS

@Suite("Content that is refused")
struct ContentRefusalTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let content: any APNSContent
        let field: String
        var testDescription: String { "\(name): \(field)" }

        init(_ name: String, _ content: some APNSContent, _ field: String) {
            self.name = name
            self.content = content
            self.field = field
        }
    }

    private static let late = APNSTimestamp(secondsSince1970: 1_700_000_000_000)
    private static let early = APNSTimestamp(secondsSince1970: -1)

    static let rows: [Row] = [
        Row("nothing to show", .alert(), "aps"),
        Row("only a category", .alert(category: "PARCEL"), "aps"),
        Row("only content-available", .alert(contentAvailable: true), "aps"),
        Row("an empty dictionary", .alert(APNSAlert()), "aps.alert"),
        Row("an empty text", .alert(""), "aps.alert"),
        Row("an empty title and body", .alert(title: "", body: ""), "aps.alert"),
        Row("an empty text with a badge", .alert("", badge: 1), "aps.alert"),
        Row("a negative badge", .alert(badge: -1), "aps.badge"),
        Row("a volume below 0", .alert(sound: .critical(volume: -0.1)), "aps.sound.volume"),
        Row("a volume above 1", .alert(sound: .critical(volume: 1.01)), "aps.sound.volume"),
        Row("a volume that is no number", .alert(sound: .critical(volume: .nan)), "aps.sound.volume"),
        Row("a score below 0", .alert(badge: 1, relevanceScore: -0.01), "aps.relevance-score"),
        Row("a score above 1", .alert(badge: 1, relevanceScore: 1.01), "aps.relevance-score"),
        Row("a score that is no number", .alert(badge: 1, relevanceScore: .nan), "aps.relevance-score"),
        Row("an infinite score", .alert(badge: 1, relevanceScore: .infinity), "aps.relevance-score"),
        Row("no container", .fileProvider(containerIdentifier: ""), "container-identifier"),
        Row("no push magic", .mdm(pushMagic: ""), "mdm"),
    ]

    @Test("A value that is not allowed is named by its key", arguments: rows)
    func refused(row: Row) {
        let error = #expect(throws: APNSError.self) { try row.content.payload(custom: nil) }
        #expect(error?.field == row.field)
        #expect(error?.code == .invalidNotification)
        #expect(error?.fate == .notSent)
        #expect(error?.text.hasPrefix(row.field) == true)
    }

    private static func start(
        type: String = "A",
        attributes: APNSJSON,
        state: APNSJSON,
        timestamp: APNSTimestamp = .now,
        stale: APNSTimestamp? = nil,
        score: Double? = nil,
        input: APNSLiveActivityStart.Input? = nil
    ) -> APNSLiveActivityStart {
        .liveActivityStart(
            attributesType: type,
            attributes: attributes,
            contentState: state,
            alert: APNSLiveActivityAlert(title: "t", body: "b"),
            timestamp: timestamp,
            staleDate: stale,
            relevanceScore: score,
            input: input
        )
    }

    @Test("The values of a Live Activity are named by their keys")
    func liveActivity() throws {
        let object = try APNSJSON("{}")
        let array = try APNSJSON("[]")
        let rows: [(any APNSContent, String)] = [
            (Self.start(type: "", attributes: object, state: object), "aps.attributes-type"),
            (Self.start(attributes: array, state: object), "aps.attributes"),
            (Self.start(attributes: object, state: array), "aps.content-state"),
            (Self.start(attributes: object, state: object, timestamp: Self.late), "aps.timestamp"),
            (Self.start(attributes: object, state: object, stale: Self.early), "aps.stale-date"),
            (Self.start(attributes: object, state: object, score: .nan), "aps.relevance-score"),
            (Self.start(attributes: object, state: object, input: .channel("")), "aps.input-push-channel"),
            (APNSLiveActivityUpdate(contentState: array), "aps.content-state"),
            (APNSLiveActivityUpdate(contentState: object, timestamp: Self.early), "aps.timestamp"),
            (APNSLiveActivityUpdate.liveActivityUpdate(contentState: object, staleDate: Self.late), "aps.stale-date"),
            (
                APNSLiveActivityUpdate.liveActivityUpdate(contentState: object, relevanceScore: .infinity),
                "aps.relevance-score"
            ),
            (APNSLiveActivityEnd(contentState: array), "aps.content-state"),
            (APNSLiveActivityEnd(timestamp: Self.late), "aps.timestamp"),
            (APNSLiveActivityEnd(dismissalDate: Self.late), "aps.dismissal-date"),
            (changed { $0.staleDate = Self.late }, "aps.stale-date"),
            (changed { $0.relevanceScore = -.infinity }, "aps.relevance-score"),
        ]
        for (content, field) in rows {
            let error = #expect(throws: APNSError.self, "\(field)") { try content.payload(custom: nil) }
            #expect(error?.field == field)
        }
    }

    private func changed(_ change: (inout APNSLiveActivityEnd) -> Void) -> APNSLiveActivityEnd {
        var end = APNSLiveActivityEnd()
        change(&end)
        return end
    }

    @Test("The state of a Live Activity that cannot be encoded is named by its key")
    func stateThatCannotBeEncoded() {
        let alert = APNSLiveActivityAlert(title: "t", body: "b")
        let state = #expect(throws: APNSError.self) {
            try APNSNotification(to: "ab", .liveActivityUpdate(contentState: ["x": Double.nan]))
        }
        #expect(state?.field == "aps.content-state")
        let last = #expect(throws: APNSError.self) {
            try APNSNotification(to: "ab", .liveActivityEnd(contentState: ["x": Double.nan]))
        }
        #expect(last?.field == "aps.content-state")
        let attributes = #expect(throws: APNSError.self) {
            try APNSNotification(
                to: "ab",
                .liveActivityStart(
                    attributesType: "A",
                    attributes: ["x": Double.nan],
                    contentState: ["x": 1],
                    alert: alert
                )
            )
        }
        #expect(attributes?.field == "aps.attributes")
    }

    @Test("The limits themselves are allowed", arguments: [0, 1])
    func limits(value: Double) throws {
        _ = try APNSPayload(.alert(badge: 0, sound: .critical(volume: value), relevanceScore: value))
    }

    @Test("A Live Activity's score may be any finite number", arguments: [-1e300, -1, 0, 100, 1e300])
    func activityScore(value: Double) throws {
        _ = try APNSPayload(.liveActivityUpdate(contentState: ["a": 1], relevanceScore: value))
    }
}
