import Testing

@testable import waybill

@Suite("CSV")
struct CSVReaderTests {
    private static func records(_ text: String) throws -> [CSVReader.Record] {
        var reader = CSVReader(Array(text.utf8))
        var records: [CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(
        "records with the lines on which they begin",
        arguments: [
            ("", []), ("\n\r\n\n", []), ("a,b", [(1, ["a", "b"])]),
            ("a,b\r\nc,d\r\n", [(1, ["a", "b"]), (2, ["c", "d"])]),
            ("a\n\n\nb\n", [(1, ["a"]), (4, ["b"])]), (",\n", [(1, ["", ""])]), ("\"\"\n", [(1, [""])]),
            ("\"a,b\",c", [(1, ["a,b", "c"])]), ("\"say \"\"hi\"\"\"", [(1, ["say \"hi\""])]),
            ("\"a\nb\r\nc\",d\ne", [(1, ["a\nb\r\nc", "d"]), (4, ["e"])]), ("\u{FEFF}a\nb", [(1, ["a"]), (2, ["b"])]),
            (" a , b ", [(1, [" a ", " b "])]), ("a\rb,c\r", [(1, ["a\rb", "c"])]), ("ü,日本", [(1, ["ü", "日本"])]),
        ] as [(String, [(Int, [String])])]
    )
    func records(text: String, expected: [(Int, [String])]) throws {
        #expect(try Self.records(text) == expected.map { CSVReader.Record(line: $0, fields: $1) })
    }

    @Test(
        "broken quoting is an error with its line",
        arguments: [
            ("a\n\"b\nc", 2, "never closed"), ("a\n\"b\"c", 2, "must end at a comma"), ("a\nb\"c\"", 2, "needs quotes"),
            ("\"a\nb\"c", 2, "must end at a comma"),
        ]
    )
    func brokenQuoting(text: String, line: Int, reason: String) {
        let error = #expect(throws: InputError.self) { try Self.records(text) }
        #expect(error?.line == line)
        #expect(error?.reason.contains(reason) == true)
    }

    @Test("what is no UTF-8 is an error with its line")
    func encoding() throws {
        var reader = CSVReader(Array("a\n".utf8) + [0xFF, 0xFE])
        _ = try reader.next()
        let error = #expect(throws: InputError.self) { try reader.next() }
        #expect(error == InputError(line: 2, reason: "not UTF-8 text"))
    }

    @Test("a cell becomes what its column's field demands")
    func kinds() throws {
        let items = try CSVItems.items(
            Array(
                "device_token,message,badge,expiration,collapse_id,payload\n00,12,3,null,null,\"{\"\"aps\"\":{}}\"\n01,\"a\"\"b\",,,,\n"
                    .utf8
            )
        )
        #expect(items.map(\.line) == [2, 3])
        #expect(
            items.map { String(decoding: $0.json, as: UTF8.self) } == [
                #"{"device_token":"00","message":"12","badge":3,"expiration":null,"collapse_id":null,"payload":{"aps":{}}}"#,
                #"{"device_token":"01","message":"a\"b"}"#,
            ]
        )
    }

    private static let known =
        "apns_id, badge, category, collapse, collapse_id, content_available, data, delivery_type, device_token, expiration, "
        + "interruption_level, max_age, message, mutable_content, on_unknown, payload, priority, push_type, receipt, "
        + "relevance_score, repeat_until_acknowledged, sound, subtitle, target_content_id, thread_id, title, token_kind, "
        + "topic"

    /// What is no JSON becomes text, of which the field says what it must be; no cell adds a member.
    @Test(
        arguments: [
            ("one", #""one""#), ("7", "7"), (#""1,""topic"":""a""""#, #""1,\"topic\":\"a\"""#),
        ]
    )
    func aCellIsOneValue(cell: String, value: String) throws {
        let items = try CSVItems.items(Array("device_token,badge\n00,\(cell)\n".utf8))
        #expect(items.map { String(decoding: $0.json, as: UTF8.self) } == [#"{"device_token":"00","badge":\#(value)}"#])
    }

    @Test(
        "records that do not fit the header",
        arguments: [
            ("device_token,message\n00\n", InputError(line: 2, reason: "1 fields for 2 columns")),
            ("device_token\n00,a\n", InputError(line: 2, reason: "2 fields for 1 columns")),
            ("device_token,device_token\n", InputError(line: 1, reason: "two columns are named device_token")),
            (
                "device_token,mesage\n",
                InputError(
                    line: 1,
                    reason:
                        "column 2 (mesage) is not a field of a notification; did you mean message? Known columns: \(known)"
                )
            ),
            (
                "device_token,body\n",
                InputError(
                    line: 1,
                    reason:
                        "column 2 (body) is not a field of a notification; did you mean message? Known columns: \(known)"
                )
            ),
            (
                "device_token,0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\n",
                InputError(line: 1, reason: "column 2 is not a field of a notification; known columns: \(known)")
            ),
            (
                "device_token;message\n00;a\n",
                InputError(line: 1, reason: "column 1 holds a semicolon; the columns must be separated by commas")
            ),
            ("", InputError(line: 1, reason: "the header is missing")),
        ]
    )
    func misfits(text: String, expected: InputError) {
        let errors = #expect(throws: InputErrors.self) { try CSVItems.items(Array(text.utf8)) }
        #expect(errors?.errors == [expected])
    }
}
