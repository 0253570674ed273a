import Testing
import WaybillAPNS
import WaybillThreads

@Suite("From a notification to a request")
struct NotificationRequestTests {
    static let bundleID = "com.example.parcels"

    @Test("Every property reaches the wire")
    func everything() throws {
        var notification = try APNSNotification(to: "00FFaBcD", .alert("x"))
        notification.topic = "com.example.other"
        notification.priority = .powerAware
        notification.expiration = .at(1_700_000_000)
        notification.collapseID = "order-7"
        notification.apnsID = APNSID(high: 1, low: 2)
        notification.onUnknown = .resend
        let request = try notification.makeRequest(index: 7, bundleID: Self.bundleID, usesCertificate: false)
        #expect(request.index == 7)
        #expect(request.deviceToken.elementsEqual("00ffabcd".utf8))
        #expect(request.payload.elementsEqual(#"{"aps":{"alert":"x"}}"#.utf8))
        #expect(request.topic == "com.example.other")
        #expect(request.pushType == .alert)
        #expect(request.priority == 5)
        #expect(request.expiration == .at(1_700_000_000))
        #expect(request.apnsID == APNSID(high: 1, low: 2))
        #expect(request.collapseID == .explicit(Array("order-7".utf8)[...]))
        #expect(request.resendsUnknown)
        #expect(request.exchange == nil)
    }

    @Test("The defaults leave everything to APNs that can be left to it")
    func defaults() throws {
        let request = try APNSNotification(to: "ab", .alert("x"))
            .makeRequest(index: 0, bundleID: Self.bundleID, usesCertificate: true)
        #expect(request.topic == Self.bundleID)
        #expect(request.priority == 10)
        #expect(request.expiration == .absent)
        #expect(request.collapseID == .none)
        #expect(!request.resendsUnknown)
    }

    @Test(
        "The topic is the bundle id with the type's suffix, and an explicit one wins",
        arguments: [
            (.alert, ""), (.background, ""), (.complication, ".complication"), (.controls, ".push-type.controls"),
            (.fileProvider, ".pushkit.fileprovider"), (.liveActivity, ".push-type.liveactivity"),
            (.location, ".location-query"), (.mdm, nil), (.pushToTalk, ".voip-ptt"), (.voip, ".voip"),
            (.widgets, ".push-type.widgets"), (APNSPushType(rawValue: "new"), ""),
        ] as [(APNSPushType, String?)]
    )
    func topic(type: APNSPushType, suffix: String?) throws {
        let json = type == .mdm ? #"{"mdm":"m"}"# : #"{"aps":{"content-available":1}}"#
        var notification = APNSNotification(to: "ab", payload: Array(json.utf8), pushType: type)
        if let suffix {
            let request = try notification.makeRequest(index: 0, bundleID: Self.bundleID, usesCertificate: false)
            #expect(request.topic == Self.bundleID + suffix)
            #expect(type.topic(for: Self.bundleID) == Self.bundleID + suffix)
        } else {
            let error = #expect(throws: APNSError.self) {
                try notification.makeRequest(index: 0, bundleID: Self.bundleID, usesCertificate: false)
            }
            #expect(error?.field == "topic")
        }
        let missing = #expect(throws: APNSError.self) {
            try notification.makeRequest(index: 0, bundleID: nil, usesCertificate: false)
        }
        #expect(missing?.field == "topic")
        notification.topic = "com.example.explicit"
        for bundleID in [Self.bundleID, nil] {
            let request = try notification.makeRequest(index: 0, bundleID: bundleID, usesCertificate: false)
            #expect(request.topic == "com.example.explicit")
        }
    }

    @Test("All the documented types have a row in the table of topics")
    func known() {
        #expect(Set(APNSPushType.known).count == 11)
    }

    @Test(
        "The priority is the type's own unless one is given",
        arguments: APNSPushType.known + [APNSPushType(rawValue: "new")]
    )
    func priority(type: APNSPushType) throws {
        let json = type == .mdm ? #"{"mdm":"m"}"# : #"{"aps":{"content-available":1}}"#
        var notification = APNSNotification(to: "ab", payload: Array(json.utf8), pushType: type)
        notification.topic = "t"
        func sent() throws(APNSError) -> Int {
            try notification.makeRequest(index: 0, bundleID: nil, usesCertificate: false).priority
        }
        #expect(try sent() == (type == .background ? 5 : 10))
        notification.priority = .powerAware
        #expect(try sent() == 5)
        if type != .background {
            notification.priority = .immediate
            #expect(try sent() == 10)
        }
        if type != .liveActivity {
            notification.priority = .neverWakes
            #expect(try sent() == 1)
        }
    }

    @Test("A lane's configuration can check a notification early")
    func validate() throws {
        var configuration = APNSConfiguration(
            endpoint: .sandbox,
            credentials: .certificate(APNSCertificate(certificateFile: "a.pem", privateKeyFile: "b.pem"))
        )
        let alert = try APNSNotification(to: "ab", .alert("x"))
        let missing = #expect(throws: APNSError.self) { try alert.validate(for: configuration) }
        #expect(missing?.field == "topic")
        configuration.bundleID = Self.bundleID
        try alert.validate(for: configuration)
        let location = try APNSNotification(to: "ab", .location)
        let error = #expect(throws: APNSError.self) { try location.validate(for: configuration) }
        #expect(error?.field == "pushType")
        #expect(error?.apnsID == location.apnsID)
    }

    @Test("A notification for another device has an id of its own and shares the rest")
    func addressed() throws {
        var first = try APNSNotification(to: "ab01", .alert("x"))
        first.collapseID = "order-7"
        let second = first.addressed(to: "ab02")
        #expect(second.deviceToken == "ab02")
        #expect(second.apnsID != first.apnsID)
        var same = second
        same.deviceToken = first.deviceToken
        same.apnsID = first.apnsID
        #expect(same == first)
        let addresses = [first, second].map { $0.payload.bytes.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }

    @Test("Neither text nor reflection shows the token or the payload")
    func privacy() throws {
        let notification = try APNSNotification(to: "abcdef0123456789", .alert("for Ada"))
        var dumped = ""
        dump(notification, to: &dumped)
        dump(notification.payload, to: &dumped)
        for text in ["\(notification)", String(reflecting: notification), "\(notification.payload)", dumped] {
            #expect(!text.contains("abcdef") && !text.contains("Ada"))
            #expect(text.contains("\(notification.payload.bytes.count)"))
        }
        #expect("\(notification)".contains("\(notification.apnsID)"))
    }
}
