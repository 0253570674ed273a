import FoundationEssentials
import Testing
import WaybillAPNS

@Suite("Custom keys beside aps")
struct CustomKeysTests {
    private struct Order: Encodable {
        struct Line: Encodable {
            let name: String
            let price: Double
        }

        var id = 7
        var note: String?
        var lines: [Line] = []
    }

    private static let contents: [any APNSContent] = [
        APNSAlertContent(alert: "x"), APNSBackgroundContent(), APNSVoIPContent(), APNSMDMContent(pushMagic: "m"),
    ]

    private static func text(custom: some Encodable) throws -> String {
        String(decoding: try APNSPayload(.alert("x"), custom: custom).bytes, as: UTF8.self)
    }

    @Test("An Encodable of the caller's own stands beside aps, at the call")
    func callSite() throws {
        let notification = try APNSNotification(
            to: "ab01",
            .alert(title: "Parcel", body: "Here"),
            custom: Order(id: 7)
        )
        #expect(
            String(decoding: notification.payload.bytes, as: UTF8.self)
                == #"{"aps":{"alert":{"title":"Parcel","body":"Here"}},"id":7,"lines":[]}"#
        )
    }

    @Test("Nested values, letters beyond ASCII and slashes are kept, keys are in order")
    func nested() throws {
        let order = Order(
            id: 1,
            note: "Grüße 📦 \"a/b\" \u{1}",
            lines: [.init(name: "Käse", price: 0.5), .init(name: "日本", price: 3)]
        )
        #expect(
            try Self.text(custom: order)
                == #"{"aps":{"alert":"x"},"id":1,"lines":[{"name":"Käse","price":0.5},{"name":"日本","price":3}],"#
                + #""note":"Grüße 📦 \"a/b\" \u0001"}"#
        )
    }

    @Test("A dictionary will do")
    func dictionary() throws {
        #expect(
            try Self.text(custom: ["b": "2", "a": "https://a/b"]) == #"{"aps":{"alert":"x"},"a":"https://a/b","b":"2"}"#
        )
    }

    @Test("Nothing is added for nil and for an object without members")
    func nothing() throws {
        let none: Order? = nil
        #expect(try Self.text(custom: none) == #"{"aps":{"alert":"x"}}"#)
        #expect(try Self.text(custom: [String: String]()) == #"{"aps":{"alert":"x"}}"#)
        #expect(try Self.text(custom: ["a": "1"]) == #"{"aps":{"alert":"x"},"a":"1"}"#)
    }

    @Test("Ready JSON passes as it is, without the white space around it")
    func ready() throws {
        let custom = try APNSJSON(bytes: Data("\n {\"a\" : [ 1.50 ],\t\"b\":\"\\/\"} \n".utf8))
        let payload = try APNSPayload(.alert("x"), custom: custom)
        #expect(String(decoding: payload.bytes, as: UTF8.self) == #"{"aps":{"alert":"x"},"a" : [ 1.50 ],\#t"b":"\/"}"#)
    }

    @Test(
        "What is no object, or holds a key of the payload's own, is refused",
        arguments: [
            "[1]", "7", #""text""#, "true", "null", #"{"aps":{}}"#, #"{"a":1, "aps":null}"#, #"{"mdm":"x"}"#,
            #"{"\u0061ps":{}}"#, #"{"a\u0070\u0073":1}"#,
        ]
    )
    func refused(json: String) throws {
        let custom = try APNSJSON(json)
        for content in Self.contents {
            let error = #expect(throws: APNSError.self) { try content.payload(custom: custom) }
            #expect(error?.field == "custom")
            #expect(error?.fate == .notSent)
        }
    }

    @Test("A key that only resembles aps, or lies deeper, is the caller's")
    func allowed() throws {
        let custom = try APNSJSON(#"{"APS":1,"aps ":2,"x":{"aps":3,"mdm":4}}"#)
        let payload = try APNSPayload(.background, custom: custom)
        #expect(
            String(decoding: payload.bytes, as: UTF8.self)
                == #"{"aps":{"content-available":1},"APS":1,"aps ":2,"x":{"aps":3,"mdm":4}}"#
        )
    }

    @Test("The keys of a File Provider push are the payload's own", arguments: ["container-identifier", "domain"])
    func fileProvider(key: String) throws {
        let error = #expect(throws: APNSError.self) {
            try APNSPayload(.fileProvider(containerIdentifier: "root"), custom: [key: "x"])
        }
        #expect(error?.field == "custom")
    }

    @Test("An Encodable that cannot be encoded is refused, and its value is not told")
    func notEncodable() throws {
        let infinite = #expect(throws: APNSError.self) {
            try APNSNotification(
                to: "ab",
                .alert("x"),
                custom: Order(lines: [.init(name: "secret", price: .infinity)])
            )
        }
        #expect(infinite?.field == "custom")
        #expect(infinite?.text.contains("price") == true)
        #expect(infinite?.text.contains("secret") == false)
        for custom in [1.5, .nan] {
            let error = #expect(throws: APNSError.self) { try Self.text(custom: custom) }
            #expect(error?.field == "custom")
        }
    }
}
