import Testing
import WaybillAPNS

/// Content and the exact text of its payload.
struct PayloadRow: CustomTestStringConvertible, Sendable {
    let content: any APNSContent
    let json: String
    var testDescription: String { json }

    init(_ content: some APNSContent, _ json: String) {
        self.content = content
        self.json = json
    }

    /// The payload that the content writes, as text.
    func written(custom: APNSJSON? = nil) throws -> String {
        String(decoding: try content.payload(custom: custom).bytes, as: UTF8.self)
    }
}

@Suite("The payload of an alert")
struct AlertPayloadTests {
    static let keys: [PayloadRow] = [
        alert("It is here", #""alert":"It is here""#),
        alert(APNSAlert("It is here"), #""alert":"It is here""#),
        alert(APNSAlert(body: "It is here"), #""alert":{"body":"It is here"}"#),
        alert(APNSAlert(title: "Parcel"), #""alert":{"title":"Parcel"}"#),
        alert(APNSAlert(subtitle: "Today"), #""alert":{"subtitle":"Today"}"#),
        alert(APNSAlert(launchImage: "parcel.png"), #""alert":{"launch-image":"parcel.png"}"#),
        alert(APNSAlert(localizedTitle: "PARCEL"), #""alert":{"title-loc-key":"PARCEL"}"#),
        alert(
            APNSAlert(localizedTitle: APNSLocalizedText("PARCEL", arguments: ["7", "Köln"])),
            #""alert":{"title-loc-key":"PARCEL","title-loc-args":["7","Köln"]}"#
        ),
        alert(
            APNSAlert(localizedSubtitle: APNSLocalizedText("WHEN", arguments: ["today"])),
            #""alert":{"subtitle-loc-key":"WHEN","subtitle-loc-args":["today"]}"#
        ),
        alert(
            APNSAlert(localizedBody: APNSLocalizedText("WHERE", arguments: ["a \"box\"", ""])),
            #""alert":{"loc-key":"WHERE","loc-args":["a \"box\"",""]}"#
        ),
        alert(changed { $0.action = "Open" }, #""alert":{"action":"Open"}"#),
        alert(changed { $0.actionLocKey = "OPEN" }, #""alert":{"action-loc-key":"OPEN"}"#),
        alert(changed { $0.summaryArgument = "Ada" }, #""alert":{"summary-arg":"Ada"}"#),
        alert(changed { $0.summaryArgumentCount = 3 }, #""alert":{"summary-arg-count":3}"#),
        PayloadRow(.alert(badge: 0), #"{"aps":{"badge":0}}"#),
        PayloadRow(.alert(badge: .max), #"{"aps":{"badge":9223372036854775807}}"#),
        PayloadRow(.alert(sound: .default), #"{"aps":{"sound":"default"}}"#),
        PayloadRow(.alert(sound: "ping.caf"), #"{"aps":{"sound":"ping.caf"}}"#),
        PayloadRow(.alert(sound: .critical()), #"{"aps":{"sound":{"critical":1,"name":"default"}}}"#),
        PayloadRow(
            .alert(sound: .critical(name: "siren.caf", volume: 0.5)),
            #"{"aps":{"sound":{"critical":1,"name":"siren.caf","volume":0.5}}}"#
        ),
        PayloadRow(
            .alert(sound: .critical(volume: 1)),
            #"{"aps":{"sound":{"critical":1,"name":"default","volume":1}}}"#
        ),
        PayloadRow(.alert(badge: 1, threadID: "order-7"), #"{"aps":{"badge":1,"thread-id":"order-7"}}"#),
        PayloadRow(.alert(badge: 1, category: "PARCEL"), #"{"aps":{"badge":1,"category":"PARCEL"}}"#),
        PayloadRow(.alert(badge: 1, contentAvailable: true), #"{"aps":{"badge":1,"content-available":1}}"#),
        PayloadRow(.alert(badge: 1, mutableContent: true), #"{"aps":{"badge":1,"mutable-content":1}}"#),
        PayloadRow(.alert(badge: 1, contentAvailable: false, mutableContent: false), #"{"aps":{"badge":1}}"#),
        PayloadRow(.alert(badge: 1, targetContentID: "main"), #"{"aps":{"badge":1,"target-content-id":"main"}}"#),
        level(.passive, "passive"),
        level(.active, "active"),
        level(.timeSensitive, "time-sensitive"),
        level(.critical, "critical"),
        level(APNSInterruptionLevel(rawValue: "new"), "new"),
        score(0, "0"),
        score(0.5, "0.5"),
        score(0.1, "0.1"),
        score(1, "1"),
        score(1e-7, "1e-07"),
        PayloadRow(.alert(badge: 1, filterCriteria: "work"), #"{"aps":{"badge":1,"filter-criteria":"work"}}"#),
        PayloadRow(.alert(badge: 1, urlArguments: ["a/b", "7"]), #"{"aps":{"badge":1,"url-args":["a/b","7"]}}"#),
        PayloadRow(.alert(badge: 1, urlArguments: []), #"{"aps":{"badge":1,"url-args":[]}}"#),
    ]

    private static func alert(_ alert: APNSAlert, _ member: String) -> PayloadRow {
        PayloadRow(.alert(alert), #"{"aps":{\#(member)}}"#)
    }

    private static func changed(_ change: (inout APNSAlert) -> Void) -> APNSAlert {
        var alert = APNSAlert()
        change(&alert)
        return alert
    }

    private static func level(_ level: APNSInterruptionLevel, _ word: String) -> PayloadRow {
        PayloadRow(.alert(badge: 1, interruptionLevel: level), #"{"aps":{"badge":1,"interruption-level":"\#(word)"}}"#)
    }

    private static func score(_ score: Double, _ text: String) -> PayloadRow {
        PayloadRow(.alert(badge: 1, relevanceScore: score), #"{"aps":{"badge":1,"relevance-score":\#(text)}}"#)
    }

    @Test("Each key is written as Apple names it", arguments: keys)
    func key(row: PayloadRow) throws {
        #expect(try row.written() == row.json)
    }

    @Test("All keys stand in a fixed order")
    func order() throws {
        var alert = APNSAlert(
            title: "t",
            subtitle: "s",
            body: "b",
            localizedTitle: APNSLocalizedText("T", arguments: ["1"]),
            localizedSubtitle: APNSLocalizedText("S", arguments: ["2"]),
            localizedBody: APNSLocalizedText("B", arguments: ["3"]),
            launchImage: "i"
        )
        alert.action = "a"
        alert.actionLocKey = "A"
        alert.summaryArgument = "x"
        alert.summaryArgumentCount = 2
        let row = PayloadRow(
            .alert(
                alert,
                badge: 3,
                sound: .critical(name: "n", volume: 0.25),
                threadID: "th",
                category: "c",
                contentAvailable: true,
                mutableContent: true,
                targetContentID: "tc",
                interruptionLevel: .critical,
                relevanceScore: 0.75,
                filterCriteria: "f",
                urlArguments: ["u"]
            ),
            #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"i","#
                + #""title-loc-key":"T","title-loc-args":["1"],"subtitle-loc-key":"S","subtitle-loc-args":["2"],"#
                + #""loc-key":"B","loc-args":["3"],"action":"a","action-loc-key":"A","summary-arg":"x","#
                + #""summary-arg-count":2},"badge":3,"sound":{"critical":1,"name":"n","volume":0.25},"#
                + #""thread-id":"th","category":"c","content-available":1,"mutable-content":1,"#
                + #""target-content-id":"tc","interruption-level":"critical","relevance-score":0.75,"#
                + #""filter-criteria":"f","url-args":["u"]}}"#
        )
        #expect(try row.written() == row.json)
    }

    @Test("Title, subtitle and body have a short form")
    func shortForm() throws {
        let row = PayloadRow(
            .alert(title: "Parcel", subtitle: "Today", body: "It is here", badge: 1, sound: .default),
            #"{"aps":{"alert":{"title":"Parcel","subtitle":"Today","body":"It is here"},"badge":1,"sound":"default"}}"#
        )
        #expect(try row.written() == row.json)
    }

    @Test("A text alone becomes a dictionary when another key joins it")
    func textWithTitle() throws {
        var alert: APNSAlert = "It is here"
        alert.title = "Parcel"
        #expect(
            try PayloadRow(.alert(alert), "").written()
                == #"{"aps":{"alert":{"title":"Parcel","body":"It is here"}}}"#
        )
    }

    @Test("A literal may hold values")
    func interpolation() throws {
        let name = "Ada"
        #expect(try PayloadRow(.alert("Hello \(name)"), "").written() == #"{"aps":{"alert":"Hello Ada"}}"#)
    }
}
