import Testing
import WaybillFCM
import WaybillSimulator

@Suite struct RequestTests {
    static let token = "cXyZ0123456789abcdefgh:APA91bEXAMPLE"

    static func text(_ message: FCMMessage, at now: Int64 = 0) throws -> String {
        let request = try FCMRequest(message, index: 0)
        let body = request.body(at: now)
        #expect(body.count <= request.bodySize)
        // The simulator's own reader takes it.
        _ = try FCMMessageCheck.judge(body)
        return String(decoding: body, as: UTF8.self)
    }

    @Test func writesACriticalMessage() throws {
        var content = FCMContent(
            data: ["wb_type": "critical", "title": "Smoke in \"hall\" 3", "n": "3"],
            priority: .high
        )
        content.collapseKey = "hall-3"
        content.isDirectBootOK = true
        content.restrictedPackageName = "org.example.alerts"
        content.analyticsLabel = "critical"
        let message = FCMMessage(to: .token(Self.token), content, expiration: 1_790_000_300)
        let text = try Self.text(message, at: 1_790_000_000)
        let expected =
            #"{"message":{"token":"\#(Self.token)","data":{"n":"3","title":"Smoke in \"hall\" 3","wb_type":"critical"},"#
            + #""fcm_options":{"analytics_label":"critical"},"android":{"priority":"HIGH","collapse_key":"hall-3","#
            + #""direct_boot_ok":true,"restricted_package_name":"org.example.alerts","ttl":"300s"}}}"#
        #expect(text == expected)
        #expect(try Self.text(message, at: 1_790_000_299).contains(#""ttl":"1s""#))
        #expect(try Self.text(message, at: 1_700_000_000).contains(#""ttl":"2419200s""#))
    }

    @Test func writesTheOtherKinds() throws {
        let notification = FCMContent(notification: FCMContent.Notification(title: "Hi", body: "There"))
        #expect(
            try Self.text(FCMMessage(to: .topic("news"), notification))
                == #"{"message":{"topic":"news","notification":{"title":"Hi","body":"There"},"android":{"priority":"NORMAL"}}}"#
        )
        var check = FCMMessage(to: .installation("cXyZ0123456789abcdefgh"), ready: Array("{}".utf8))
        check.isValidatedOnly = true
        #expect(try Self.text(check) == #"{"validate_only":true,"message":{"fid":"cXyZ0123456789abcdefgh"}}"#)
    }

    @Test(arguments: [
        ("{}", #","android":{"ttl":"60s"}"#),
        (#" {"data":{"a":"1"}} "#, #","data":{"a":"1"},"android":{"ttl":"60s"}"#),
        (#"{"android":{}}"#, #","android":{"ttl":"60s"}"#),
        (#"{"android":{"priority":"HIGH"},"data":{}}"#, #","android":{"ttl":"60s","priority":"HIGH"},"data":{}"#),
        (#"{"android":{"ttl":"0s"}}"#, #","android":{"ttl":"0s"}"#),
    ])
    func fillsTheLifeIntoReadyMessages(_ ready: String, expected: String) throws {
        let message = FCMMessage(to: .token(Self.token), ready: Array(ready.utf8), expiration: 1060)
        #expect(try Self.text(message, at: 1000) == #"{"message":{"token":"\#(Self.token)"\#(expected)}}"#)
    }

    @Test func refusesBeforeAnythingIsSent() {
        func field(_ message: FCMMessage) -> String? {
            do throws(FCMError) {
                _ = try FCMRequest(message, index: 0)
                return nil
            } catch {
                #expect(error.code == .invalidMessage)
                #expect(error.fate == .notSent)
                #expect(!error.text.contains("secret"))
                return error.field
            }
        }
        let empty = FCMContent()
        #expect(field(FCMMessage(to: .token(""), empty)) == "token")
        #expect(field(FCMMessage(to: .token("secret token"), empty)) == "token")
        #expect(field(FCMMessage(to: .topic("/topics/a"), empty)) == "topic")
        for key in ["from", "message_type", "google.x", "gcm.x"] {
            #expect(field(FCMMessage(to: .topic("a"), FCMContent(data: [key: "x"]))) == "data")
        }
        let large = String(repeating: "x", count: 4096)
        #expect(field(FCMMessage(to: .topic("a"), FCMContent(data: ["k": large]))) == "data")
        #expect(field(FCMMessage(to: .topic("a"), FCMContent(data: ["k": String(large.dropLast())]))) == nil)
        for (ready, name) in [
            ("[]", "message"), ("{", "message"), (#"{"token":"secret"}"#, "message.token"),
            (#"{"android":1}"#, "message.android"),
        ] {
            #expect(field(FCMMessage(to: .topic("a"), ready: Array(ready.utf8), expiration: 1)) == name)
        }
    }
}
