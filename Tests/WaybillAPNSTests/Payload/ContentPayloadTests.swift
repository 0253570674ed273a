import Testing
import WaybillAPNS

@Suite("The payloads of the other push types")
struct ContentPayloadTests {
    static let rows: [PayloadRow] = [
        PayloadRow(.background, #"{"aps":{"content-available":1}}"#),
        PayloadRow(.widgets, #"{"aps":{"content-changed":true}}"#),
        PayloadRow(.controls, #"{"aps":{"content-changed":true}}"#),
        PayloadRow(.voip, #"{"aps":{}}"#),
        PayloadRow(.complication, #"{"aps":{}}"#),
        PayloadRow(.pushToTalk, #"{"aps":{}}"#),
        PayloadRow(.location, #"{"aps":{}}"#),
        PayloadRow(.fileProvider(containerIdentifier: "root"), #"{"container-identifier":"root"}"#),
        PayloadRow(
            .fileProvider(containerIdentifier: "root", domain: "work/1"),
            #"{"container-identifier":"root","domain":"work/1"}"#
        ),
        PayloadRow(.mdm(pushMagic: "4F2A-\"x\""), #"{"mdm":"4F2A-\"x\""}"#),
    ]

    @Test("Each type has its own keys", arguments: rows)
    func payload(row: PayloadRow) throws {
        #expect(try row.written() == row.json)
    }

    static let withCustomKeys: [PayloadRow] = [
        PayloadRow(.alert("x"), #"{"aps":{"alert":"x"},"order":7}"#),
        PayloadRow(.background, #"{"aps":{"content-available":1},"order":7}"#),
        PayloadRow(.widgets, #"{"aps":{"content-changed":true},"order":7}"#),
        PayloadRow(.controls, #"{"aps":{"content-changed":true},"order":7}"#),
        PayloadRow(.voip, #"{"order":7}"#),
        PayloadRow(.complication, #"{"order":7}"#),
        PayloadRow(.pushToTalk, #"{"aps":{},"order":7}"#),
        PayloadRow(.location, #"{"aps":{},"order":7}"#),
        PayloadRow(.fileProvider(containerIdentifier: "root"), #"{"container-identifier":"root","order":7}"#),
        PayloadRow(.mdm(pushMagic: "m"), #"{"mdm":"m","order":7}"#),
    ]

    @Test("Each type takes custom keys", arguments: withCustomKeys)
    func custom(row: PayloadRow) throws {
        let custom = try APNSJSON(#"{"order":7}"#)
        #expect(try row.written(custom: custom) == row.json)
    }

    @Test("An object without members adds nothing", arguments: rows)
    func emptyCustom(row: PayloadRow) throws {
        let custom = try APNSJSON("{ \n }")
        #expect(try row.written(custom: custom) == row.json)
    }

    @Test("A notification from content has the content's push type")
    func pushTypes() throws {
        #expect(try APNSNotification(to: "ab", .alert("x")).pushType == .alert)
        #expect(try APNSNotification(to: "ab", .background).pushType == .background)
        #expect(try APNSNotification(to: "ab", .widgets).pushType == .widgets)
        #expect(try APNSNotification(to: "ab", .controls).pushType == .controls)
        #expect(try APNSNotification(to: "ab", .voip).pushType == .voip)
        #expect(try APNSNotification(to: "ab", .complication).pushType == .complication)
        #expect(try APNSNotification(to: "ab", .pushToTalk).pushType == .pushToTalk)
        #expect(try APNSNotification(to: "ab", .location).pushType == .location)
        #expect(try APNSNotification(to: "ab", .fileProvider(containerIdentifier: "r")).pushType == .fileProvider)
        #expect(try APNSNotification(to: "ab", .mdm(pushMagic: "m")).pushType == .mdm)
        #expect(try APNSNotification(to: "ab", .liveActivityEnd()).pushType == .liveActivity)
    }

    /// Content of a caller's own, for a push type of the future.
    private struct Weather: APNSContent {
        static let pushType = APNSPushType(rawValue: "weather")
        let degrees: Int

        func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
            APNSPayload(json: #"{"degrees":\#(degrees)}"#)
        }
    }

    @Test("Content of a caller's own is sent like the library's")
    func ownContent() throws {
        let notification = try APNSNotification(to: "ab", Weather(degrees: 21))
        let request = try notification.makeRequest(index: 0, bundleID: "com.example.app", usesCertificate: false)
        #expect(String(decoding: request.payload, as: UTF8.self) == #"{"degrees":21}"#)
        #expect(request.pushType.rawValue == "weather")
        #expect(request.topic == "com.example.app")
    }
}
