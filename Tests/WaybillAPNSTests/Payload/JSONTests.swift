import FoundationEssentials
import Testing
import WaybillAPNS

@Suite("A piece of JSON")
struct JSONTests {
    @Test("Bytes of any encoder are taken as they are, without the white space around them")
    func bytes() throws {
        let text = "\n [1, {\"a\" :\t2}] "
        let json = try APNSJSON(bytes: Data(text.utf8))
        #expect(json.bytes == Array("[1, {\"a\" :\t2}]".utf8))
        #expect(!json.isObject)
        #expect(try APNSJSON("{}").isObject)
    }

    @Test("What is no JSON is refused", arguments: ["", "{", "{'a':1}", "{\"a\":1,}", "[NaN]"])
    func refused(text: String) {
        let error = #expect(throws: APNSError.self) { try APNSJSON(text) }
        #expect(error?.code == .invalidNotification)
        #expect(error?.fate == .notSent)
    }

    @Test("A date is sent as ActivityKit reads it: seconds since 2001")
    func date() throws {
        let json = try APNSJSON(encoding: ["at": Date(timeIntervalSinceReferenceDate: 60)])
        #expect(json.bytes == Array(#"{"at":60}"#.utf8))
    }

    @Test("Neither text nor reflection shows what it holds")
    func privacy() throws {
        let json = try APNSJSON(#"{"name":"Ada"}"#)
        var dumped = ""
        dump(json, to: &dumped)
        for text in ["\(json)", String(reflecting: json), dumped] {
            #expect(!text.contains("Ada") && !text.contains("65"))
            #expect(text.contains("14"))
        }
    }
}
