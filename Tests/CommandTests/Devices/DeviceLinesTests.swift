import Testing
import WaybillDeviceRegistry

@testable import waybill

@Suite("Lines that describe devices")
struct DeviceLinesTests {
    @Test("a row says what an object says")
    func forms() throws {
        let json = DeviceLines(format: .ndjson)
        let object = try #require(
            try json.form(Array(#"{"app": "a", "token": "aa", "tags": ["x", "y"], "user": "ü"}"#.utf8))
        )
        var csv = DeviceLines(format: .csv)
        try csv.takeHeader(Array("app,token,tags,user,locale".utf8))
        #expect(try csv.form(Array(#"a,aa,x;y,"ü","#.utf8)) == object)
        #expect(object.texts == ["app": "a", "token": "aa", "user": "ü"])
        #expect(object.tags == ["x", "y"])
        for lines in [json, csv] { #expect(try lines.form(Array(" \t".utf8)) == nil) }
    }

    @Test(
        "what is wrong is named by its field, and no value is repeated",
        arguments: [
            ("{", "", "is not JSON: the JSON ends too early, at byte 1"), ("[]", "", "must be a JSON object"),
            (#"{"secret": 1}"#, "secret", "is no field of a device"), (#"{"user": 4711}"#, "user", "must be a text"),
            (#"{"enabled": "true"}"#, "enabled", "must be true or false"),
            (#"{"history": [{"at": 1}]}"#, "history", "must be an array of objects of texts"),
            (#"{"user": "anna", "user": "eve"}"#, "user", "is there twice"),
            (#"{"tags": ["a"], "t\u0061gs": ["b"]}"#, "tags", "is there twice"),
            (#"{"history": [{"at": "1", "at": "2"}]}"#, "history", "has at twice"),
            (#"{"user": "\ud83d"}"#, "user", "holds half of a surrogate pair, which is no text"),
            (#"{"tags": "x"}"#, "tags", "must be an array of texts"),
            (#"{"tags": [1]}"#, "tags", "must be an array of texts"),
        ] as [(String, String, String)]
    )
    func faults(line: String, field: String, reason: String) throws {
        let fault = #expect(throws: DeviceFault.self) { try DeviceLines(format: .ndjson).form(Array(line.utf8)) }
        #expect((fault?.field, fault?.reason) == (field, reason))
    }

    @Test("rows")
    func rows() throws {
        var lines = DeviceLines(format: .csv)
        try lines.takeHeader(Array("app,token".utf8))
        for row in ["a", "a,b,c", #"a,"b"#, #"a,b"c"#] {
            #expect(throws: DeviceFault.self) { try lines.form(Array(row.utf8)) }
        }
        for (header, field) in [("token,app,app", "app"), ("app,secret", "secret")] {
            var lines = DeviceLines(format: .csv)
            let fault = #expect(throws: DeviceFault.self) { try lines.takeHeader(Array(header.utf8)) }
            #expect(fault?.field == field)
        }
    }

    @Test(
        "what stands between tags can stand in them",
        arguments: [
            ["a"], ["a;b", "c"], ["\\", ";", "\\;"], ["=1"], ["'=1", "b"], ["a;\u{FE0F}b", "\u{301}c"],
            ["\u{600}\\", "\u{600};"], [";\u{200D}", "\\\u{20E3}"],
        ]
    )
    func tags(tags: [String]) {
        let read = DeviceTags.tags(of: DeviceTags.text(tags))
        #expect(read.map { Array($0.utf8) } == tags.map { Array($0.utf8) })
    }

    /// Tags are read alike whoever has written them; what was done for spreadsheets is taken back in an export alone.
    @Test(arguments: [("app,token,tags,user", "'=1"), ("app,token,tags,user,enabled", "=1")])
    func aPartOfAnExport(header: String, user: String) throws {
        var lines = DeviceLines(format: .csv)
        try lines.takeHeader(Array(header.utf8))
        let row = #"a,aa,b\;c;d\\e;f\g;h\,'=1"# + (header.hasSuffix("enabled") ? ",true" : "")
        let form = try #require(try lines.form(Array(row.utf8)))
        #expect(form.tags == ["b;c", #"d\e"#, #"f\g"#, #"h\"#])
        #expect(form.texts["user"] == user)
    }
}
