import Testing
import WaybillSimulator

@Suite struct FCMMessageCheckTests {
    static let token = "cXyZ0123456789abcdefgh:APA91bEXAMPLE"

    func judge(_ message: String) throws(FCMMessageCheck.Problem) -> FCMMessageCheck.Message {
        try FCMMessageCheck.judge(Array(message.utf8))
    }

    @Test(arguments: [
        #"{"message":{"token":"TOKEN","data":{"a":"1"},"android":{"priority":"HIGH","ttl":"0s"}}}"#,
        #"{"message":{"token":"TOKEN","android":{"ttl":"3.9s","collapseKey":"x","direct_boot_ok":true}}}"#,
        #"{"message":{"topic":"news","notification":{"title":"Hi"}},"validate_only":true}"#,
        #"{"message":{"condition":"'a' in topics && ('b' in topics || 'c' in topics)"}}"#,
        #"{"message":{"fid":"cXyZ0123456789abcdefgh"}}"#,
        #"{"message":{"token":"TOKEN","data":{"a":"1","a":"2"}}}"#,
        #"{"message":{"token":"TOKEN","data":{"collapse_key":"1"}}}"#,
    ])
    func takes(_ text: String) throws {
        _ = try judge(text.replacing("TOKEN", with: Self.token))
    }

    @Test(
        arguments: [
            ("no json", nil, false),
            ("[]", nil, false),
            ("{}", "message", true),
            (#"{"message":{}}"#, "message", true),
            (#"{"message":{"token":"TOKEN","topic":"a"}}"#, "message", false),
            (#"{"message":{"token":"short"}}"#, "message.token", true),
            (#"{"message":{"topic":"/topics/a"}}"#, "message.topic", true),
            (#"{"message":{"condition":"a"}}"#, nil, false),
            (#"{"message":{"tokens":"TOKEN"}}"#, "message", false),
            (#"{"message":{"token":"TOKEN","data":{"n":12}}}"#, "message.data[0].value", false),
            (#"{"message":{"token":"TOKEN","data":{"n":null}}}"#, "message.data[0].value", false),
            (#"{"message":{"token":"TOKEN","data":{"n":{}}}}"#, "message.data[0].value", false),
            (#"{"message":{"token":"TOKEN","data":{"from":"x"}}}"#, "message.data", true),
            (#"{"message":{"token":"TOKEN","data":{"google.x":"x"}}}"#, "message.data", true),
            (#"{"message":{"token":"TOKEN","data":{"gcm.x":"x"}}}"#, "message.data", true),
            (#"{"message":{"token":"TOKEN","android":{"priority":"urgent"}}}"#, "message.android.priority", false),
            (#"{"message":{"token":"TOKEN","android":{"ttl":"-1s"}}}"#, "message.android.ttl", true),
            (#"{"message":{"token":"TOKEN","android":{"ttl":"2419201s"}}}"#, "message.android.ttl", true),
            (#"{"message":{"token":"TOKEN","android":{"ttl":"60"}}}"#, "message.android.ttl", false),
            (#"{"message":{"token":"TOKEN","android":{"ttl":60}}}"#, "message.android.ttl", false),
            (#"{"message":{"token":"TOKEN"},"validate_only":"yes"}"#, "validate_only", false),
        ] as [(String, String?, Bool)]
    )
    func refuses(_ text: String, field: String?, isOfFCM: Bool) {
        do {
            _ = try judge(text.replacing("TOKEN", with: Self.token))
            Issue.record("taken")
        } catch {
            #expect(error.field == field)
            #expect(error.isOfFCM == isOfFCM)
        }
    }

    @Test func countsKeysAndValues() throws {
        func message(_ count: Int) -> String {
            #"{"message":{"token":"\#(Self.token)","data":{"k":"\#(String(repeating: "x", count: count - 1))"}}}"#
        }
        _ = try judge(message(4096))
        #expect(throws: FCMMessageCheck.Problem.self) { try judge(message(4097)) }
    }

    @Test func saysWhomItIsFor() throws {
        let device = try judge(#"{"message":{"token":"\#(Self.token)"}}"#)
        #expect(device.device == Self.token)
        #expect(!device.isForInstallation)
        let topic = try judge(#"{"message":{"topic":"news"},"validate_only":true}"#)
        #expect(topic.device == nil)
        #expect(topic.target == "/topics/news")
        #expect(topic.isValidatedOnly)
    }
}
