import Testing
import WaybillAccounts
import WaybillCore

@testable import WaybillNotifications

/// The message of the thesis' queue: `{"uid", "datetime", "sid", "request"}`.
struct NotifireMessageTests {
    private static let now: Int64 = 1_795_300_000_000
    private static let sid = "7a9e3c52-0f5d-4b83-9a0e-4f2f0a9d1c11"

    private static func read(_ text: String) throws(BodyRejection) -> NotifireMessage {
        try NotifireMessage(decoding: Array(text.utf8), now: now)
    }

    private static func body(_ request: String, datetime: String = "2026-11-21T04:05:06.789Z") -> String {
        #"{"uid":"acc_anna","datetime":"\#(datetime)","sid":"\#(sid.uppercased())","request":\#(request)}"#
    }

    @Test func readingWhatWasWritten() throws {
        let content = ServiceNotification(level: .error, body: "Disk /", text: "90 %", url: "https://e.example")
        let message = NotifireMessage(user: "acc_anna", service: Self.sid, at: Self.now, content: content)
        let key = try #require(ServiceKey(shown: String(repeating: "0f", count: 32)))
        let written = NotifireMessage.adding(key, to: message.encoded())
        #expect(
            String(decoding: written, as: UTF8.self)
                == #"{"uid":"acc_anna","datetime":"2026-11-21T22:26:40.000Z","sid":"\#(Self.sid)","request":"#
                + #"{"level":3,"body":"Disk /","text":"90 %","url":"https://e.example","#
                + #""serviceKey":"\#(key.reveal())"}}"#
        )
        let read = try NotifireMessage(decoding: written, now: Self.now)
        #expect((read.user, read.service, read.at) == ("acc_anna", Self.sid, Self.now))
        #expect(read.content == content)
    }

    @Test(arguments: [
        ("2026-11-21T04:05:06Z", 1_795_233_906_000), ("2026-11-21T06:05:06.789+02:00", 1_795_233_906_789),
        ("2026-11-21T04:05:06.7891234Z", 1_795_233_906_789),
    ])
    func datetimes(text: String, at: Int64) throws {
        let body = Self.body(#"{"level":1,"body":"x","text":null,"url":""}"#, datetime: text)
        let message = try NotifireMessage(decoding: Array(body.utf8), now: at)
        #expect((message.at, message.service, message.content.text, message.content.url) == (at, Self.sid, nil, nil))
    }

    @Test(arguments: [
        ("", "empty", "the body is empty"), ("[]", "not_json", "the body is no JSON object"),
        ("{\"uid\":", "not_json", "the body is no JSON object"), ("{}", "missing_field", "uid: is missing"),
        (#"{"uid":7,"sid":"x"}"#, "bad_value", "uid: must be a text that is not empty"),
        (#"{"uid":"a","uid":"b"}"#, "duplicate_field", "a member of the body is there twice"),
        (#"{"uid":"a","sid":"x"}"#, "bad_value", "sid: must be a UUID"),
        (body("{}", datetime: "yesterday"), "bad_value", nil), (body("{}", datetime: "2h"), "bad_value", nil),
        (body("{}", datetime: "2036-11-21"), "bad_value", "datetime: is more than a day ahead"),
        (body("7"), "not_json", "request: must be an object"),
        (body("{}"), "bad_value", "request.level: must be 1, 2 or 3"),
        (body(#"{"level":4,"body":"x"}"#), "bad_value", "request.level: must be 1, 2 or 3"),
        (body(#"{"level":"1","body":"x"}"#), "bad_value", "request.level: must be 1, 2 or 3"),
        (body(#"{"level":1}"#), "missing_field", "request.body: is missing"),
        (body(#"{"level":1,"body":""}"#), "bad_value", "request.body: must be a text that is not empty"),
        (body(#"{"level":1,"body":"x","url":1}"#), "bad_value", "request.url: must be a text that is not empty"),
    ])
    func whatIsNoMessage(text: String, reason: String, detail: String?) {
        let rejection = #expect(throws: BodyRejection.self) { try Self.read(text) }
        #expect(rejection?.reason == reason)
        if let detail { #expect(rejection?.detail == detail) }
    }

    @Test func whatIsTooLarge() {
        let text = Self.body(#"{"level":1,"body":"\#(String(repeating: "x", count: 65_536))"}"#)
        #expect(#expect(throws: BodyRejection.self) { try Self.read(text) }?.reason == "too_large")
    }

    @Test func thePayloadOfASilentPush() {
        func text(_ read: ReadPush.Read) -> String {
            String(decoding: ReadPush(read, by: "acc_anna").contents.payload, as: UTF8.self)
        }
        #expect(
            text(.one(id: "n-1", service: "s-1"))
                == #"{"aps":{"content-available":1},"read":{"notification":"n-1","serviceUUID":"s-1"}}"#
        )
        #expect(
            text(.all(service: nil, until: Self.now))
                == #"{"aps":{"content-available":1},"read":{"until":"2026-11-21T22:26:40.000Z"}}"#
        )
    }
}
