import Testing
import WaybillAPNS

@Suite("Ready JSON")
struct ReadyPayloadTests {
    private static func request(_ payload: [UInt8], _ type: APNSPushType) throws(APNSError) -> APNSRequest {
        var notification = APNSNotification(to: "ab01", payload: payload, pushType: type)
        if type == .mdm { notification.topic = "com.apple.mgmt.External.1" }
        return try notification.makeRequest(index: 0, bundleID: "com.example.parcels", usesCertificate: false)
    }

    @Test(
        "Every byte passes as it is, odd white space included",
        arguments: [
            Array("{ \"aps\"\t:\r\n{\"alert\" :\"a\\/b \\u00e9\"} , \"x\": 1.50 }\n".utf8),
            Array(#"{"aps":{"alert":"x","content-available":1}}"#.utf8),
        ]
    )
    func untouched(bytes: [UInt8]) throws {
        for type in APNSPushType.known + [APNSPushType(rawValue: "new")] where type != .background && type != .mdm {
            #expect(try Self.request(bytes, type).payload.elementsEqual(bytes))
        }
    }

    @Test("The bytes are shared with the request, not copied")
    func shared() throws {
        let bytes = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let address = bytes.withUnsafeBytes { $0.baseAddress }
        for type in [APNSPushType.alert, .background] {
            let request = try Self.request(bytes, type)
            #expect(request.payload.withUnsafeBytes { $0.baseAddress } == address)
        }
    }

    @Test(
        "A background push may have any form that says content-available",
        arguments: [
            #"{"aps":{"content-available":1}}"#,
            " {\n\"x\" : [ {} ] , \"aps\" : { \"content-available\" : 1 , \"thread-id\":\"t\" } }\r\n",
            #"{"\u0061ps":{"content\u002davailable":1}}"#,
            #"{"aps":{"content-available":true},"alert":"x","badge":1,"sound":"y"}"#,
            #"{"aps":{"content-available":1,"x":{"alert":1}}}"#,
        ]
    )
    func background(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(try Self.request(bytes, .background).payload.elementsEqual(bytes))
    }

    @Test(
        "A background push that shows something, or is silent about itself, is refused",
        arguments: [
            (#"{"aps":{"content-available":1,"alert":"x"}}"#, "aps.alert"),
            (#"{"aps":{"content-available":1,"alert":null}}"#, "aps.alert"),
            (#"{"aps":{"content-available":1,"badge":0}}"#, "aps.badge"),
            (#"{"aps":{"content-available":1,"sound":""}}"#, "aps.sound"),
            (#"{"aps":{"content-available":1,"s\u006fund":"x"}}"#, "aps.sound"),
            (#"{"aps":{}}"#, "aps.content-available"),
            (#"{"aps":{"content-available":0}}"#, "aps.content-available"),
            (#"{"aps":{"content-available":false}}"#, "aps.content-available"),
            (#"{"aps":{"content-available":"1"}}"#, "aps.content-available"),
            (#"{"aps":{"content-available":null}}"#, "aps.content-available"),
            (#"{"aps":{"content-available":1,"content-available":0}}"#, "aps.content-available"),
            (#"{"content-available":1}"#, "aps"),
            (#"{"aps":[]}"#, "aps"),
            (#"{"aps":"content-available"}"#, "aps"),
            (#"{"aps":{"content-available":1},"aps":{"alert":"x"}}"#, "aps"),
            (#"{"aps":{"content-available":1}"#, "payload"),
            (#"{"aps":{"content-available":1}} x"#, "payload"),
            (#"["aps"]"#, "payload"),
            ("7", "payload"),
            ("content-available", "payload"),
        ]
    )
    func backgroundRefused(text: String, field: String) {
        let error = #expect(throws: APNSError.self) { try Self.request(Array(text.utf8), .background) }
        #expect(error?.field == field)
    }

    @Test(
        "An MDM push has mdm and no aps",
        arguments: [
            (#"{"mdm":"m"}"#, nil), (#"{"x":1,"mdm":"m"}"#, nil), (#"{"mdm":"m","aps":{}}"#, "aps"), ("{}", "mdm"),
            ("m", "payload"), (#""mdm""#, "payload"),
        ] as [(String, String?)]
    )
    func mdm(text: String, field: String?) throws {
        if let field {
            let error = #expect(throws: APNSError.self) { try Self.request(Array(text.utf8), .mdm) }
            #expect(error?.field == field)
        } else {
            #expect(try Self.request(Array(text.utf8), .mdm).payload.elementsEqual(text.utf8))
        }
    }

    @Test("Typed content that is sent as another type is looked into as well")
    func typeChanged() throws {
        var notification = try APNSNotification(to: "ab01", .alert("x"))
        notification.pushType = .background
        let error = #expect(throws: APNSError.self) {
            try notification.makeRequest(index: 0, bundleID: "com.example.parcels", usesCertificate: false)
        }
        #expect(error?.field == "aps.alert")
    }

    @Test("Payloads are equal when their bytes are")
    func equality() throws {
        let typed = try APNSPayload(.alert("x"))
        let ready = APNSPayload(json: #"{"aps":{"alert":"x"}}"#)
        #expect(typed == ready)
        #expect(typed.hashValue == ready.hashValue)
        #expect(typed != APNSPayload(json: #"{"aps":{"alert": "x"}}"#))
    }
}
