import Foundation
import Testing
import WaybillCore
import WaybillFCM
import WaybillProviders
import WaybillSimulator

/// What a producer's notification becomes on the wire.
struct FCMItemTests {
    /// What is sent, as JSON, with our id put in words.
    private func sent(_ members: String, at now: Int64 = 1_790_000_000) throws -> [String: Any] {
        let item = try FCMSamples.notification(members)
        let notification = try #require(item.valid, "\(item.invalid?.reason ?? "")")
        let body = FCMSamples.body(notification, at: now)
        // The simulator's own reader takes it.
        _ = try FCMMessageCheck.judge(Array(body.utf8))
        let text = body.replacing(notification.id.description, with: "ID")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object.keys.sorted() == ["message"])
        return try #require(object["message"] as? [String: Any])
    }

    private func expect(
        _ members: String,
        at now: Int64 = 1_790_000_000,
        is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var expected = try #require(
            try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? [String: Any]
        )
        expected["token"] = FCMSamples.token
        let found = try sent(members, at: now)
        #expect(
            NSDictionary(dictionary: found).isEqual(to: expected),
            "\(found)",
            sourceLocation: sourceLocation
        )
    }

    // MARK: - Messages

    @Test func aMessageIsShownByTheSystem() throws {
        try expect(
            #""message":"Gr\u00fc\u00dfe \"you\"","title":"Hi","badge":3,"sound":"default","category":"c","thread_id":"t""#,
            is: #"""
                {"android":{"priority":"HIGH","ttl":"86400s","notification":{"sound":"default","notification_count":3}},
                "notification":{"title":"Hi","body":"Grüße \"you\""},"data":{"wb_id":"ID","category":"c","thread_id":"t"}}
                """#
        )
    }

    @Test func aNormalOneSaysItsType() throws {
        try expect(
            #""message":"x","delivery_type":"normal","priority":5,"expiration":null"#,
            is:
                #"{"android":{"priority":"NORMAL"},"notification":{"body":"x"},"data":{"wb_id":"ID","wb_type":"normal"}}"#
        )
    }

    @Test func aTimeSensitiveOneIsForTheApp() throws {
        try expect(
            #""message":"x","title":"t","subtitle":"s","delivery_type":"time_sensitive","expiration":1790000060"#,
            is: #"""
                {"android":{"priority":"HIGH","ttl":"60s"},
                "data":{"wb_id":"ID","wb_type":"time_sensitive","title":"t","subtitle":"s","body":"x"}}
                """#
        )
    }

    /// FCM's `data` holds texts alone: what is none goes as its JSON text.
    @Test(arguments: ["", #","delivery_type":"time_sensitive""#])
    func dataIsForTheApp(type: String) throws {
        let message = try sent(
            #""message":"x","thread_id":"t","data":{"n":7,"s":"\u00fc\"","o":{"a":[true,"b"]},"z":null}"# + type
        )
        let data = try #require(message["data"] as? [String: String])
        #expect(data["n"] == "7" && data["s"] == "ü\"" && data["o"] == #"{"a":[true,"b"]}"# && data["z"] == "null")
        #expect(data["wb_id"] == "ID" && data["thread_id"] == "t")
        #expect(data["body"] == (type.isEmpty ? nil : "x"))
    }

    @Test func dataCountsWithItsKeys() throws {
        let name = String(repeating: "k", count: 40)
        // body, the name, wb_id and the id: 4 + 40 + 41, and the texts.
        for (length, isValid) in [(4011, true), (4012, false)] {
            let value = String(repeating: "v", count: length - 1)
            let fault = try FCMSamples.fault(#""message":"x","data":{"\#(name)":"\#(value)"}"#)
            #expect((fault == nil) == isValid, "\(fault ?? "")")
        }
    }

    /// Google documents a member of its own for installation ids, and no length of one in a token's place.
    @Test func anInstallationHasATargetOfItsOwn() throws {
        let batch = try FCMSamples.decode(
            #"{"message":"x","token_kind":"installation","device_tokens":["cXyZ0123456789abcdefgh"]}"#
        )
        let notification = try #require(batch.items[0].valid)
        let body = FCMSamples.body(notification)
        #expect(body.hasPrefix(#"{"message":{"fid":"cXyZ0123456789abcdefgh","#) && !body.contains(#""token""#))
        _ = try FCMMessageCheck.judge(Array(body.utf8))
        #expect(try sent(#""message":"x","token_kind":"token""#)["token"] as? String == FCMSamples.token)
    }

    @Test func aCriticalOneIsForTheAppEvenBeforeTheFirstUnlock() throws {
        try expect(
            #""message":"x","sound":{"critical":1,"name":"alarm.caf"},"badge":2,"delivery_type":"critical","expiration":1790000300"#,
            is: #"""
                {"android":{"priority":"HIGH","ttl":"300s","direct_boot_ok":true},
                "data":{"wb_id":"ID","wb_type":"critical","sound":"alarm.caf","badge":"2","body":"x"}}
                """#
        )
        let item = try FCMSamples.notification(#""message":"x","delivery_type":"critical""#).valid
        #expect(item?.note.isUrgent == true)
        let other = try FCMSamples.notification(#""message":"x","delivery_type":"time_sensitive""#).valid
        #expect(other?.note.isUrgent == false)
    }

    /// The log looks for newer ones by it.
    @Test func aPayloadsCollapseKeyIsTheNotifications() throws {
        for key in ["collapse_key", "collapseKey"] {
            let payload = #""payload":{"data":{"a":"b"},"android":{"\#(key)":"match-7"}}"#
            let item = try FCMSamples.notification(payload).valid
            #expect(item?.collapseKey == .explicit(Array("match-7".utf8)[...]))
        }
    }

    /// A key of ours for each notification would use up the four that FCM keeps.
    @Test(arguments: ["", #","collapse":"content""#, #","collapse":"notification""#, #","collapse_id":null"#])
    func noKeyIsDerived(members: String) throws {
        let android = try sent(#""message":"x""# + members)["android"] as? [String: Any]
        #expect(android?["collapse_key"] == nil)
        let item = try FCMSamples.notification(#""message":"x""# + members).valid
        #expect(item?.collapseKey == CollapseKey.none)
        #expect(item?.onUnknown == .record)
    }

    @Test func aProducersOwnKeyIsSent() throws {
        try expect(
            #""message":"x","collapse_id":"match-7","on_unknown":"resend""#,
            is: #"""
                {"android":{"priority":"HIGH","collapse_key":"match-7","ttl":"86400s","notification":{"tag":"match-7"}},
                "notification":{"body":"x"},"data":{"wb_id":"ID"}}
                """#
        )
        let item = try FCMSamples.notification(#""message":"x","collapse_id":"match-7","on_unknown":"resend""#).valid
        #expect(item?.collapseKey == .explicit(Array("match-7".utf8)[...]))
        #expect(item?.onUnknown == .resend)
    }

    @Test func theKindAndTheProjectGoIntoTheRecord() throws {
        let shown = try #require(try FCMSamples.notification(#""message":"x""#).valid)
        #expect(shown.kind == "notification" && shown.topic == "parcels-4711" && shown.message?.text == "x")
        let ofTheApp = try #require(try FCMSamples.notification(#""message":"x","delivery_type":"critical""#).valid)
        #expect(ofTheApp.kind == "data" && ofTheApp.priority == .high)
    }

    // MARK: - Payloads

    @Test func aPayloadPassesWithOurIDAndItsLife() throws {
        try expect(
            #""payload":{"android":{"priority":"HIGH","direct_boot_ok":true},"data":{"n":"3"},"fcm_options":{"analytics_label":"l"}},"expiration":1790000060"#,
            is:
                #"{"android":{"priority":"HIGH","direct_boot_ok":true,"ttl":"60s"},"data":{"n":"3","wb_id":"ID"},"fcm_options":{"analytics_label":"l"}}"#
        )
    }

    @Test(
        arguments: [
            (#"{}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#),
            (#"{ }"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#),
            (#"{"data":{ }}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#),
            (#"{"data":{},"android":{ }}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#),
            (#"{"data":{"a":"b"}}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID","a":"b"}}"#),
            (
                #"{"fcm_options":{"analytics_label":"l"}}"#,
                #"{"fcm_options":{"analytics_label":"l"},"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#
            ),
            (
                #"{"android":{"direct_boot_ok":true}}"#,
                #"{"android":{"ttl":"86400s","direct_boot_ok":true},"data":{"wb_id":"ID"}}"#
            ),
            (#"{"android":{}}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID"}}"#),
            (#"{"android":{"ttl":"5s"}}"#, #"{"android":{"ttl":"5s"},"data":{"wb_id":"ID"}}"#),
            (#"{"d\u0061ta":{"a":"\ud83d\udc4b"}}"#, #"{"android":{"ttl":"86400s"},"data":{"wb_id":"ID","a":"👋"}}"#),
        ]
    )
    func whatAPayloadLacksIsAdded(payload: String, expected: String) throws {
        try expect(#""payload":\#(payload)"#, is: expected)
    }

    @Test func zeroIsNowOrNever() throws {
        try expect(
            #""payload":{"data":{"a":"b"}},"expiration":0"#,
            is: #"{"android":{"ttl":"0s"},"data":{"wb_id":"ID","a":"b"}}"#
        )
        let android = try sent(#""message":"x","expiration":0"#)["android"] as? [String: Any]
        #expect(android?["ttl"] as? String == "0s")
    }

    @Test func aDefaultLifeIsWhatIsLeftWhenItIsSent() throws {
        for (members, life) in [("", 86_400), (#","delivery_type":"critical""#, 3_600)] {
            let android = try sent(#""message":"x""# + members, at: FCMSamples.now + 60)["android"] as? [String: Any]
            #expect(android?["ttl"] as? String == "\(life - 60)s")
        }
    }

    /// FCM's own rule, of 28 days.
    @Test func nothingIsSaidOfALifeThatNobodySets() throws {
        try expect(#""payload":{"data":{"a":"b"}},"expiration":null"#, is: #"{"data":{"wb_id":"ID","a":"b"}}"#)
    }

    @Test func settingsGoIntoAPayloadThatDoesNotSayThem() throws {
        try expect(
            #""payload":{"android":{"direct_boot_ok":true},"data":{"a":"b"}},"priority":5,"collapse_id":"k","expiration":null"#,
            is:
                #"{"android":{"priority":"NORMAL","collapse_key":"k","direct_boot_ok":true},"data":{"wb_id":"ID","a":"b"}}"#
        )
        try expect(
            #""payload":{"data":{"a":"b"},"fcm_options":{"analytics_label":"l"}},"priority":10"#,
            is:
                #"{"android":{"priority":"HIGH","ttl":"86400s"},"data":{"wb_id":"ID","a":"b"},"fcm_options":{"analytics_label":"l"}}"#
        )
    }

    @Test(
        arguments: [
            (#"{"data":{"a":"b"}}"#, "data", PriorityClass.normal),
            (#"{"notification":{"title":"x"}}"#, "notification", .high),
            (#"{"android":{"notification":{"title":"x"},"priority":"normal"}}"#, "notification", .normal),
            (#"{"android":{"priority":"HIGH"}}"#, "data", .high),
            (#"{"android":{"priority":"urgent"}}"#, "data", .normal),
        ]
    )
    func whatARecordSaysOfAPayload(payload: String, kind: String, priority: PriorityClass) throws {
        let item = try #require(try FCMSamples.notification(#""payload":\#(payload)"#).valid)
        #expect(item.kind == kind)
        #expect(item.priority == priority)
        #expect(item.message == nil)
    }

    // MARK: - Life and id

    @Test(
        arguments: [
            (1_790_000_000 as Int64, 60), (1_790_000_059, 1), (1_790_000_060, 1), (1_700_000_000, 2_419_200),
        ]
    )
    func lifeIsWhatIsLeftWhenItIsSent(now: Int64, life: Int) throws {
        let android = try sent(#""message":"x","expiration":1790000060"#, at: now)["android"] as? [String: Any]
        #expect(android?["ttl"] as? String == "\(life)s")
    }

    @Test func theIDIsTheProducersOwnIfThereIsOne() throws {
        let item = try FCMSamples.notification(#""message":"x","apns_id":"\#(Samples.apnsID)""#)
        let notification = try #require(item.valid)
        #expect(FCMSamples.body(notification).contains(#""wb_id":"\#(Samples.apnsID)""#))
        #expect(notification.fingerprint != nil)
    }

    @Test func manyTokensShareAContentAndHaveIDsOfTheirOwn() throws {
        let batch = try FCMSamples.decode(#"{"payload":{"data":{"a":"b"}},"device_tokens":["A:1","a:1","a\"\\b"]}"#)
        let items = batch.items.compactMap(\.valid)
        #expect(items.map(\.deviceToken.text) == ["A:1", "a:1", "a\"\\b"])
        #expect(Set(items.map(\.id)).count == 3)
        for item in items {
            let text = FCMSamples.body(item)
            #expect(text.contains(item.id.description))
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]]
            #expect(object?["message"]?["token"] as? String == item.deviceToken.text)
        }
    }

    @Test func aRequestNamesItsSizeAtLeast() throws {
        for members in [
            #""message":"x","expiration":1790000060"#, #""payload":{}"#,
            #""payload":{"data":{"a":"b"}},"expiration":null"#,
        ] {
            let notification = try #require(try FCMSamples.notification(members).valid)
            let request = FCMRequest(notification, position: 0, notAfter: .max)
            let size = request.body(at: 1_600_000_000).count
            #expect(size <= request.bodySize && size + 64 > request.bodySize)
        }
    }

    // MARK: - Size

    @Test(arguments: [(4051, true), (4052, false)])
    func aMessageHasRoomForFourKibibytes(length: Int, isValid: Bool) throws {
        // body, wb_id and the id: 4 + 5 + 36.
        let fault = try FCMSamples.fault(#""message":"\#(String(repeating: "x", count: length))""#)
        #expect((fault == nil) == isValid)
        if let fault {
            #expect(fault == "message: has 4097 bytes of keys and values, wb_id among them; FCM takes 4096")
        }
    }

    @Test(arguments: [(4047, true), (4048, false)])
    func dataAndNotificationCountTogether(length: Int, isValid: Bool) throws {
        // ab, title and y, wb_id and the id: 2 + 5 + 1 + 5 + 36, and the text.
        let text = String(repeating: "x", count: length)
        let fault = try FCMSamples.fault(#""payload":{"data":{"\u0061b":"\#(text)"},"notification":{"title":"y"}}"#)
        #expect((fault == nil) == isValid, "\(fault ?? "")")
    }

    @Test func whatIsEscapedCountsOnce() throws {
        let text = String(repeating: #"\u00fc"#, count: 2025)
        #expect(try FCMSamples.fault(#""message":"\#(text)""#) == nil)
    }

    // MARK: - Faults

    @Test(
        arguments: [
            (#""message":"x","push_type":"alert""#, "push_type: goes with lanes to APNs alone"),
            (#""message":"x","topic":"a""#, "topic: goes with lanes to APNs alone"),
            (#""message":"x","delivery_type":"silent""#, "message: must not be there for a silent notification"),
            (#""message":"x","delivery_type":"critical","priority":5"#, "priority: must be 10"),
            (#""payload":{},"delivery_type":"silent","priority":10"#, "priority: must be 5 or 1"),
            (#""payload":{"data":{"n":3}}"#, "payload: must have strings alone as values of data"),
            (#""payload":{"data":{"from":"x"}}"#, "payload: has a key of FCM's in data"),
            (#""payload":{"data":{"google.x":"x"}}"#, "payload: has a key of FCM's in data"),
            (#""payload":{"data":{"wb_rcpt":"x"}}"#, "payload: has a key of Waybill's in data"),
            (#""payload":{"token":"x"}"#, "payload: must name no target"),
            (#""payload":{"data":{},"d\u0061ta":{}}"#, "payload: has data twice"),
            (#""payload":{"android":{"priority":"HIGH","priority":"NORMAL"}}"#, "payload: has priority twice"),
            (#""payload":{"data":{"n":"1","n":"2"}}"#, "payload: has n twice"),
            (#""payload":{"notification":{"title":"a","title":"b"}}"#, "payload: has title twice"),
            (#""payload":{"android":{"ttl":60}}"#, "payload: must have an android.ttl such as"),
            (#""payload":{"aps":{}}"#, "payload: has aps, which is of APNs"),
            (#""payload":{"android":{"data":{}}}"#, "payload: must have its data beside android"),
            (#""payload":{},"title":"x""#, "title: goes with message"),
            (#""payload":{},"data":{}"#, "data: goes with message"),
            (#""message":"x","data":7"#, "data: must be an object"),
            (#""message":"x","data":{"from":"x"}"#, "data: has a key of FCM's"),
            (#""message":"x","data":{"gcm.x":"x"}"#, "data: has a key of FCM's"),
            (#""message":"x","data":{"wb_id":"x"}"#, "data: must not have a key that begins with wb_"),
            (#""message":"x","category":"c","data":{"category":"x"}"#, "data: has a key that a field beside it makes"),
            (
                #""message":"x","delivery_type":"critical","data":{"body":"x"}"#,
                "data: has a key that a field beside it makes"
            ),
            (#""message":"x","token_kind":"fid""#, "token_kind: must be token or installation"),
            (#""payload":{"android":{"priority":"HIGH"}},"priority":5"#, "priority: contradicts the payload's"),
        ]
    )
    func whatBreaksARuleIsNamed(members: String, words: String) throws {
        let fault = try #require(try FCMSamples.fault(members))
        #expect(fault.hasPrefix(words), "\(fault)")
    }

    @Test func aFaultOfTheDefaultsIsSaidToBeTheirs() throws {
        let batch = try FCMSamples.decode(
            #"{"defaults":{"push_type":"alert"},"notifications":[{"device_token":"a","message":"x"}]}"#
        )
        #expect(batch.items[0].invalid?.reason.hasPrefix("defaults.push_type: ") == true)
    }

    @Test func aTokenThatIsNoneStaysInTheRecordAlone() throws {
        let item = try FCMSamples.decode(#"[{"device_token":"a b","message":"x"}]"#).items[0]
        #expect(item.invalid?.reason == "device_token: must be 1 to 4096 characters of printable ASCII without blanks")
        #expect(item.invalid?.deviceToken?.text == "a b")
    }
}
