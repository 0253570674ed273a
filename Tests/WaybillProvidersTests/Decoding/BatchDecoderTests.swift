import Testing
import WaybillCompression
import WaybillCore
import WaybillProviders

struct BatchDecoderTests {
    /// The text of an escaped id stands in memory that is written while the item is read.
    @Test func anEscapedIDIsTheSameID() throws {
        let plain = try Samples.notification("\"message\":\"x\",\"apns_id\":\"\(Samples.apnsID)\"")
        let escaped = Samples.apnsID.utf8.map { "\\u00" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let item = try Samples.notification("\"message\":\"x\",\"apns_id\":\"\(escaped)\"")
        #expect(item.valid?.id == plain.valid?.id)
        let broken = try Samples.notification("\"message\":\"x\",\"apns_id\":\"a\\r\\nx: 1\"")
        #expect(broken.invalid?.reason == "apns_id: must be a UUID in the form 8-4-4-4-12")
    }

    @Test func bareArray() throws {
        let batch = try Samples.decode(
            "[{\"device_token\":\"\(Samples.token)\",\"message\":\"Your parcel is here\"}]",
            MessageProperties(messageID: "m-1", timestampMilliseconds: 1_795_000_000_000)
        )
        #expect(batch.id == "m-1")
        #expect(batch.client == nil)
        #expect(batch.lane == 0)
        let notification = try #require(batch.items[0].valid)
        #expect(notification.deviceToken.text == Samples.token)
        #expect(notification.message?.text == "Your parcel is here")
        #expect(notification.payload.text == "{\"aps\":{\"alert\":\"Your parcel is here\"}}")
        #expect(notification.kind == "alert")
        #expect(notification.priority == .high)
        #expect(notification.expiration == .at(1_795_086_400) && notification.expirationFrom == .default)
        #expect(notification.topic == "com.example.parcels")
        #expect(notification.onUnknown == .resend)
    }

    @Test func envelope() throws {
        let batch = try Samples.decode(Samples.envelope)
        #expect(batch.id == "2026-11-21-parcel-7")
        #expect(batch.client == "acme")
        #expect(batch.lane == 1)
        #expect(batch.laneName == "parcels-sandbox")
        #expect(batch.items.map(\.index) == [0, 1])
        let first = try #require(batch.items[0].valid)
        #expect(first.message?.text == "Grüße 👋, \"you\" — hier")
        #expect(
            first.payload.text
                == "{\"aps\":{\"alert\":\"Grüße 👋, \\\"you\\\" — hier\",\"badge\":1,\"sound\":\"default\"}}"
        )
        #expect(first.topic == "com.example.parcels.beta")
        let second = try #require(batch.items[1].valid)
        #expect(second.deviceToken.text == Samples.otherToken)
        #expect(second.payload.text == "{\"aps\": {\"alert\": \"x\"}, \"a\": [1, -2.5e3, true, null]}")
        #expect(second.message == nil)
        #expect(second.collapseKey == .explicit(Array("order-7".utf8)[...]))
        #expect(second.expiration == .absent)
        #expect(second.priority == .normal)
    }

    @Test func deviceTokens() throws {
        let batch = try Samples.decode(
            "{\"payload\": {\"aps\":{}} ,\"device_tokens\":[\"0F\",\"\\u0031e\",7,\"zz\"],\"push_type\":\"voip\"}"
        )
        #expect(batch.items.map { $0.valid?.deviceToken.text } == ["0f", "1e", nil, nil])
        #expect(batch.items.compactMap { $0.valid?.payload.text } == ["{\"aps\":{}}", "{\"aps\":{}}"])
        #expect(batch.items[0].valid?.topic == "com.example.parcels.voip")
        #expect(batch.items[2].invalid?.reason == "device_token: must be a string")
        #expect(
            batch.items[3].invalid?.reason
                == "device_token: must be hexadecimal digits, an even number of them from 2 to 400"
        )
    }

    /// The payload is passed as it stands: no value, no name and no space of it changes.
    @Test(arguments: [
        "{}", "{ \"aps\" : {\n\t\"alert\" : \"\\u00e9\\/\" } }", "{\"a\":{\"b\":1,\"b\":2}}",
        "{\"n\":1e999,\"m\":-0.0,\"z\":1E+2}",
        "{\"\\u0061ps\":null,\"😀\":[ ]}",
    ])
    func payloadsAreOpaque(payload: String) throws {
        let item = try Samples.notification("\"payload\" : \(payload) ")
        #expect(item.valid?.payload.text == payload)
        let shared = try Samples.decode("{\"device_tokens\":[\"0f\"],\"payload\":\t\(payload)\n}")
        #expect(shared.items[0].valid?.payload.text == payload)
    }

    @Test func interactions() throws {
        let item = try Samples.notification(
            """
            "message":"B","title":"T \\"q\\"","subtitle":"S","badge":0,"sound":"chime.caf","category":"C","thread_id":"t",\
            "content_available":true,"mutable_content":1,"interruption_level":"time-sensitive","relevance_score":0.5,\
            "target_content_id":"x"
            """
        )
        #expect(
            item.valid?.payload.text == """
                {"aps":{"alert":{"title":"T \\"q\\"","subtitle":"S","body":"B"},"badge":0,"sound":"chime.caf","category":"C",\
                "thread-id":"t","target-content-id":"x","interruption-level":"time-sensitive","content-available":1,\
                "mutable-content":1,"relevance-score":0.5}}
                """
        )
    }

    /// What is for the app stands beside `aps`, byte for byte.
    @Test func dataStandsBesideAps() throws {
        let item = try Samples.notification(#""message":"B","badge":1,"data":{ "n":7, "\u0061":[1,{"b":null}] }"#)
        #expect(
            item.valid?.payload.text == #"{"aps":{"alert":"B","badge":1}, "n":7, "\u0061":[1,{"b":null}] }"#
        )
        let empty = try Samples.decode(#"{"device_tokens":["0f"],"message":"B","data":{ }}"#)
        #expect(empty.items[0].valid?.payload.text == #"{"aps":{"alert":"B"}}"#)
    }

    @Test(arguments: [
        (#""message":"B","data":[]"#, "data: must be an object"),
        (#""message":"B","data":{"\u0061ps":{}}"#, "data: must not have aps"),
        (#""message":"B","data":{"wb_rcpt":"x"}"#, "data: must not have a key that begins with wb_"),
        (#""message":"B","data":{"a":1,"\u0061":2}"#, "data: has a key twice"),
        (#""message":"B","data":{"a":"\ud800"}"#, "data: holds half of a surrogate pair"),
        (#""payload":{},"data":{}"#, "data: goes with message"),
        (#""message":"B","token_kind":"token""#, "token_kind: goes with lanes to FCM alone"),
    ])
    func dataThatNoProviderTakesIsRefused(members: String, words: String) throws {
        let fault = try Samples.notification(members).invalid?.reason
        #expect(fault?.hasPrefix(words) == true, "\(fault ?? "")")
    }

    @Test func ownInteractionsGoBeforeDefaults() throws {
        let batch = try Samples.decode(
            """
            {"defaults":{"badge":1,"sound":"default","title":"D"},"notifications":[
            {"device_token":"0f","message":"a","badge":7},{"device_token":"0f","message":"b"},
            {"device_token":"0f","message":"c","title":"O","sound":{"name":"s"}},{"device_token":"0f","payload":{}}]}
            """
        )
        #expect(
            batch.items.map { $0.valid?.payload.text } == [
                "{\"aps\":{\"alert\":{\"title\":\"D\",\"body\":\"a\"},\"badge\":7,\"sound\":\"default\"}}",
                "{\"aps\":{\"alert\":{\"title\":\"D\",\"body\":\"b\"},\"badge\":1,\"sound\":\"default\"}}",
                "{\"aps\":{\"alert\":{\"title\":\"O\",\"body\":\"c\"},\"badge\":1,\"sound\":{\"name\":\"s\"}}}", "{}",
            ]
        )
    }

    @Test func namesMayHaveEscapes() throws {
        let item = try Samples.notification("\"mess\\u0061ge\":\"x\"")
        #expect(item.valid?.message?.text == "x")
    }

    @Test func apnsIDs() throws {
        let batch = try Samples.decode(
            """
            [{"device_token":"0f","message":"a","apns_id":"\(Samples.apnsID.uppercased())"},
            {"device_token":"0f","message":"b","apns_id":"\(Samples.apnsID)"},
            {"device_token":"0f","message":"c","apns_id":"7"},{"device_token":"0f","message":"d"}]
            """,
            MessageProperties(messageID: "m")
        )
        #expect(batch.items[0].valid?.id.description == Samples.apnsID)
        #expect(batch.items[1].invalid?.reason == "apns_id: an earlier notification of the message has the same")
        // Both need a record of their own all the same.
        #expect(batch.items[1].invalid?.id == batch.identity.id(at: 1))
        #expect(batch.items[2].invalid?.id == batch.identity.id(at: 2))
        #expect(batch.items[3].valid?.id == batch.identity.id(at: 3))
    }

    /// An invalid item keeps what can be known of it, and its neighbours are not touched.
    @Test func invalidItems() throws {
        let batch = try Samples.decode(
            """
            [{"device_token":"0F","message":7,"apns_id":"\(Samples.apnsID)"},7,{"device_token":"0f","message":"ok"},
            {"device_token":"\(Samples.token)","message":"x","\(Samples.token)":1},{"message":"x","badges":2}]
            """
        )
        #expect(batch.items.map { $0.valid == nil } == [true, true, false, true, true])
        let invalid = batch.items.compactMap(\.invalid)
        #expect(invalid[0].givenID?.description == Samples.apnsID)
        #expect(invalid[0].id == batch.identity.id(at: 0))
        #expect(invalid.map { $0.deviceToken?.text } == ["0f", nil, Samples.token, nil])
        #expect(
            invalid.map(\.reason) == [
                "message: must be a string", "notification: must be an object",
                "(a name of 64 bytes): not a field of a notification",
                "badges: not a field of a notification; did you mean badge?",
            ]
        )
    }

    /// Whoever looks for a notification that never came finds what was given as its token.
    @Test(
        arguments: [
            ("\"zz\"", "zz"), ("\"00 ff\"", "00 ff"), ("\"abc\"", "abc"), ("\"\\u00fc\"", "ü"), ("\"\"", nil),
            ("7", nil),
            ("null", nil), ("[\"00\"]", nil), ("\"\\ud83d\"", nil),
            ("\"\(String(repeating: "a", count: 500))\"", String(repeating: "a", count: 400)),
            ("\"a\(String(repeating: "ü", count: 300))\"", "a" + String(repeating: "ü", count: 199)),
        ] as [(String, String?)]
    )
    func aTokenThatIsNoneIsKeptAsItWasGiven(json: String, kept: String?) throws {
        let batch = try Samples.decode("[{\"device_token\":\(json),\"message\":\"x\"}]")
        let invalid = try #require(batch.items[0].invalid)
        #expect(invalid.deviceToken?.text == kept)
        #expect(invalid.reason.hasPrefix("device_token: "))
    }

    @Test(
        arguments: [
            ("{\"batchid\":\"b\",\"notifications\":[]}", "batchid: not a known field; did you mean batch_id?"),
            ("{\"notification\":[]}", "notification: not a known field; did you mean notifications?"),
            ("{\"mesage\":\"a\",\"device_tokens\":[\"0f\"]}", "mesage: not a known field; did you mean message?"),
            ("{\"zzzzzz\":1,\"notifications\":[]}", "zzzzzz: not a known field"),
            (
                "{\"device_token\":[\"0f\"],\"message\":\"a\"}",
                "device_token: belongs to one notification; did you mean device_tokens?"
            ),
            (
                "{\"device_token\":\"0f\",\"message\":\"a\"}",
                "device_token: belongs to one notification; write it inside an object in notifications"
            ),
            ("{\"apnsid\":\"0f\"}", "apnsid: not a known field; did you mean apns_id, in a notification?"),
            (
                "{\"defaults\":{\"prioritty\":5},\"notifications\":[]}",
                "defaults: prioritty: not a known field; did you mean priority?"
            ),
        ]
    )
    func aSlipInTheEnvelopeNamesWhatWasMeant(body: String, detail: String) {
        #expect(Samples.rejection(body)?.detail == detail)
    }

    @Test(
        arguments: [
            ("parcel", "lane: parcel is not configured; configured: parcels-production, parcels-sandbox"),
            ("Pä\\nck", "lane: P??ck is not configured; configured: parcels-production, parcels-sandbox"),
            (
                "\(Samples.token)",
                "lane: (a name of 64 bytes) is not configured; configured: parcels-production, parcels-sandbox"
            ),
            (
                String(repeating: "x", count: 70),
                "lane: \(String(repeating: "x", count: 64))… is not configured; configured: parcels-production, parcels-sandbox"
            ),
        ]
    )
    func anUnknownLaneIsNamedWithTheConfiguredOnes(lane: String, detail: String) {
        let body = "{\"lane\":\"\(lane)\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}"
        #expect(Samples.rejection(body)?.detail == detail)
        #expect(LaneName.unknown("x", configured: (1...12).map { "l\($0)" }).hasSuffix("l9, l10 and 2 more"))
    }

    @Test(arguments: [
        ("token", "device_token"), ("to", "device_token"), ("registration_id", "device_token"), ("body", "message"),
        ("text", "message"), ("alert", "message"), ("ttl", "expiration, in seconds since 1970"),
        ("time_to_live", "expiration, in seconds since 1970"), ("timeToLive", "expiration, in seconds since 1970"),
    ])
    func namesOfOtherServicesGetAHint(name: String, field: String) throws {
        let batch = try Samples.decode("[{\"device_token\":\"0f\",\"message\":\"a\",\"\(name)\":\"x\"}]")
        let reason = "\(name): not a field of a notification; did you mean \(field)?"
        #expect(batch.items[0].invalid?.reason == reason)
    }

    @Test func titleNeedsMessage() throws {
        let reason = try Samples.notification("\"title\":\"a\"").invalid?.reason
        #expect(reason == "title: needs message beside it; did you mean message?")
    }

    @Test func thousandsOfUnknownNamesGetAFewHints() throws {
        let items = (0..<100).map { "{\"device_token\":\"0f\",\"message\":\"x\",\"badge\($0)\":1}" }
        let batch = try Samples.decode("[\(items.joined(separator: ","))]")
        #expect(batch.items.count { $0.invalid?.reason.contains("did you mean badge?") == true } == 16)
    }

    @Test func loneSurrogatesSpoilTheirItemAlone() throws {
        let batch = try Samples.decode(
            """
            [{"device_token":"0f","message":"\\ud83d"},{"device_token":"0f","payload":{"a":["\\udc4b"]}},
            {"device_token":"0f","message":"x","title":"\\ud83d\\ud83d"},{"device_token":"0f","message":"\\ud83d\\udc4b"}]
            """
        )
        #expect(
            batch.items.map { $0.invalid?.reason } == [
                "message: holds half of a surrogate pair", "payload: holds half of a surrogate pair",
                "title: holds half of a surrogate pair", nil,
            ]
        )
    }

    @Test func duplicateNames() throws {
        let batch = try Samples.decode(
            "[{\"device_token\":\"0f\",\"message\":\"a\",\"message\":\"b\"},{\"device_token\":\"0f\",\"message\":\"c\"}]"
        )
        #expect(batch.items[0].invalid?.reason == "message: appears twice")
        #expect(batch.items[1].valid != nil)
        let tokens = "\"device_tokens\":[\"0f\"]"
        #expect(Samples.rejection("{\"message\":\"a\",\"message\":\"b\",\(tokens)}")?.reason == "duplicate_field")
        #expect(Samples.rejection("{\"message\":\"a\",\(tokens),\(tokens)}")?.reason == "duplicate_field")
        #expect(
            Samples.rejection("{\"defaults\":{\"badge\":1,\"b\\u0061dge\":2},\"message\":\"a\",\(tokens)}")?.reason
                == "duplicate_field"
        )
    }

    /// Of two members with one name each reader could take either; deeper ones are the producer's own.
    @Test(
        arguments: [
            (#""payload":{"aps":{"alert":"a"},"aps":{"alert":"b"}}"#, "payload: has aps twice"),
            (#""payload":{"aps":{},"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"b":7}"#, "payload: has b twice"),
            (#""payload":{"aps":{},"order":1,"ord\u0065r":2}"#, "payload: has order twice"),
            (#""payload":{"":1,"":2}"#, "payload: has (a name of 0 bytes) twice"),
            (
                #""delivery_type":"critical","payload":{"aps":{"interruption-level":"critical","interruption-level":"active"}}"#,
                "payload: has interruption-level twice"
            ),
            (#""message":"m","sound":{"critical":1,"name":"a","name":"b"}"#, "sound: has name twice"),
            (#""message":"m","data":{"n":1,"n":2}"#, "data: has a key twice"),
            (#""payload":{"aps":{},"ab":1,"ba":2,"cd":{"x":1,"x":2}}"#, nil),
            (#""payload":{"aps":{"alert":"a","alert":"b"}}"#, nil), (#""payload":{"\u0061":1,"b":2}"#, nil),
        ] as [(String, String?)]
    )
    func aNameIsThereOnce(members: String, reason: String?) throws {
        #expect(try Samples.notification(members).invalid?.reason == reason)
        let shared = try Samples.decode("{\"device_tokens\":[\"0f\"],\(members)}")
        #expect(shared.items[0].invalid?.reason == reason)
    }

    /// A default is judged where it is used.
    @Test func wrongDefaults() throws {
        let batch = try Samples.decode(
            """
            {"defaults":{"priority":7,"badge":"x"},"notifications":[{"device_token":"0f","message":"a"},
            {"device_token":"0f","message":"a","priority":5},{"device_token":"0f","payload":{},"priority":5}]}
            """
        )
        #expect(
            batch.items.map { $0.invalid?.reason } == [
                "defaults.priority: must be a number: 10, 5 or 1",
                "defaults.badge: must be a number from 0 to 2147483647", nil,
            ]
        )
        let background = try Samples.decode(
            """
            {"defaults":{"priority":10},"notifications":[{"device_token":"0f","payload":{},"push_type":"background"}]}
            """
        )
        #expect(background.items[0].invalid?.reason == "defaults.priority: must be 5 or 1 for a background push")
        let silent = try Samples.decode(
            "{\"defaults\":{\"push_type\":\"background\"},\"notifications\":[{\"device_token\":\"0f\",\"message\":\"a\"}]}"
        )
        #expect(silent.items[0].invalid?.reason.hasPrefix("message: makes an alert") == true)
    }

    @Test(arguments: [
        ("\"push_type\":\"complication\"", "com.example.parcels.complication"),
        ("\"push_type\":\"controls\"", "com.example.parcels.push-type.controls"),
        ("\"push_type\":\"fileprovider\"", "com.example.parcels.pushkit.fileprovider"),
        ("\"push_type\":\"liveactivity\"", "com.example.parcels.push-type.liveactivity"),
        ("\"push_type\":\"location\"", "com.example.parcels.location-query"),
        ("\"push_type\":\"pushtotalk\"", "com.example.parcels.voip-ptt"),
        ("\"push_type\":\"voip\"", "com.example.parcels.voip"),
        ("\"push_type\":\"widgets\"", "com.example.parcels.push-type.widgets"),
        ("\"push_type\":\"hologram\"", "com.example.parcels"), ("\"push_type\":\"background\"", "com.example.parcels"),
        ("\"push_type\":\"voip\",\"topic\":\"other.app\"", "other.app"),
    ])
    func topics(members: String, topic: String) throws {
        #expect(try Samples.notification("\"payload\":{},\(members)").valid?.topic == topic)
    }

    @Test(arguments: [
        ("\"message\":\"x\"", UnknownPolicy.resend), ("\"message\":\"x\",\"collapse_id\":\"c\"", .resend),
        ("\"message\":\"x\",\"collapse_id\":null", .record),
        ("\"message\":\"x\",\"collapse_id\":null,\"on_unknown\":\"resend\"", .resend),
        ("\"message\":\"x\",\"on_unknown\":\"record\"", .record),
    ])
    func unknownPolicy(members: String, policy: UnknownPolicy) throws {
        #expect(try Samples.notification(members).valid?.onUnknown == policy)
    }

    @Test func gzip() throws {
        let body = Array(Samples.envelope.utf8)
        #expect(try Samples.decode(Samples.envelope).byteCount == body.count)
        for encoding in ["gzip", "GZIP", "x-gzip"] {
            let batch = try Samples.decoder().decode(
                try Gzip.deflate(body),
                properties: MessageProperties(contentEncoding: encoding)
            ).get()
            #expect(batch.items.count == 2)
            #expect(batch.byteCount == body.count)
        }
        for encoding in ["", "identity", "utf-8", "UTF8", "binary", "7bit", "8BIT", "us-ascii"] {
            #expect(Samples.rejection(body, MessageProperties(contentEncoding: encoding)) == nil)
        }
        #expect(Samples.rejection(body, MessageProperties(contentEncoding: "gzip"))?.reason == "bad_encoding")
        #expect(Samples.rejection(body, MessageProperties(contentEncoding: "br"))?.reason == "bad_encoding")
        let compressed = try Gzip.deflate(body)
        let cut = Array(compressed[..<(compressed.count / 2)])
        #expect(Samples.rejection(cut, MessageProperties(contentEncoding: "gzip"))?.reason == "bad_encoding")
    }
}
