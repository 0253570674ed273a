import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// Records as NDJSON and CSV over HTTP, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct DeliveryStreamTests {
    private static let token = String(repeating: "00fc13ad", count: 8)

    private func id(_ number: UInt64) -> NotificationID {
        NotificationID(high: (1_700_000_000_000 + number) << 16 | 0x7000, low: 1 << 63 | number)
    }

    private func ask(_ rig: APIRig.Running, _ query: String, _ type: String, key: String) async throws -> APIRig.Answer
    {
        try await rig.ask("/v1/deliveries?\(query)", key: key, headers: ["Accept": type])
    }

    @Test func linesHaveEveryRecordOverSeveralPages() async throws {
        try await APIRig.run { rig in
            for number in 0..<205 { try rig.record(id(UInt64(number)), client: "acme", token: Self.token) }
            let answer = try await ask(rig, "", "application/x-ndjson", key: try rig.key(.reader).text)
            #expect(answer.status == 200)
            #expect(answer.type == "application/x-ndjson")
            #expect(answer.headers["x-request-id"] != nil)
            let lines = answer.text.split(separator: "\n")
            let ids = lines.compactMap { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["_id"] as? String
            }
            #expect(ids == (0..<205).reversed().map { "\(id(UInt64($0)))" })
            #expect(lines.count == 205)
            #expect(!answer.text.contains(Self.token))
        }
    }

    @Test func linesEndWithACursorWhereMoreIsLeft() async throws {
        try await APIRig.run { rig in
            for number in 0..<7 { try rig.record(id(UInt64(number)), client: "acme") }
            let key = try rig.key(.reader).text
            var found: [String] = []
            var cursor: String?
            var answers = 0
            repeat {
                let query = "limit=3" + (cursor.map { "&cursor=\($0)" } ?? "")
                let answer = try await ask(rig, query, "application/x-ndjson", key: key)
                #expect(answer.status == 200)
                cursor = nil
                for line in answer.text.split(separator: "\n") {
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    if let id = object?["_id"] as? String { found.append(id) }
                    cursor = object?["next"] as? String
                }
                answers += 1
            } while cursor != nil && answers < 10
            #expect(found == (0..<7).reversed().map { "\(id(UInt64($0)))" })
        }
    }

    /// One answer has more than a page where more is asked for; a page of JSON has no more than a page.
    @Test func aLimitMayBeMoreThanAPage() async throws {
        try await APIRig.run { rig in
            for number in 0..<210 { try rig.record(id(UInt64(number)), client: "acme") }
            let key = try rig.key(.reader).text
            let answer = try await ask(rig, "limit=205", "application/x-ndjson", key: key)
            let lines = answer.text.split(separator: "\n")
            #expect(lines.count == 206 && lines.last?.contains("next") == true)
            let page = try await rig.ask("/v1/deliveries?limit=205", key: key)
            #expect((page.json["deliveries"] as? [Any])?.count == 200)
        }
    }

    @Test(arguments: [(Role.reader, false), (.investigator, true)])
    func rowsHaveTheirColumnsAndAsMuchOfTheTokenAsTheRoleMaySee(role: Role, isWhole: Bool) async throws {
        try await APIRig.run { rig in
            for number in 0..<3 { try rig.record(id(UInt64(number)), client: "acme", token: Self.token) }
            try rig.record(id(3), client: "globex", token: Self.token)
            let key = try rig.key(role, .only(["acme"])).text
            let answer = try await ask(rig, "limit=2", "text/csv", key: key)
            #expect(answer.status == 200)
            #expect(answer.type == "text/csv; charset=utf-8; header=present")
            let rows = answer.text.components(separatedBy: "\r\n")
            #expect(rows.count == 5)
            #expect(rows[0].hasPrefix("_id,"))
            #expect(rows[1].hasPrefix("\(id(2)),"))
            #expect(rows[2].hasPrefix("\(id(1)),"))
            #expect(rows[3].hasPrefix("# next: "))
            #expect(rows[1].contains(Self.token) == isWhole)
            #expect(rows[1].contains("…13ad") == !isWhole)
            #expect(!answer.text.contains("\(id(3))"))
        }
    }

    @Test func whatIsRefusedIsAProblemInEveryForm() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            for type in ["application/x-ndjson", "text/csv"] {
                let answer = try await ask(rig, "outcome=lost", type, key: key)
                #expect(answer.status == 400)
                #expect(answer.type == "application/problem+json")
                #expect(try await ask(rig, "token=abcd", type, key: key).status == 403)
            }
        }
    }

    @Test(
        arguments: [
            (nil, .json), ("*/*", .json), ("text/html", .json), ("text/csv", .csv), ("text/csv, */*", .csv),
            ("application/json, text/csv", .json), ("Application/X-NDJSON", .lines), ("", .json),
            ("text/csv;q=0, application/json", .json), ("application/json;q=0.1, text/csv", .csv),
            ("application/x-ndjson;q=0", .json), ("text/csv;q=0.9, */*", .json), ("*/*, text/csv", .csv),
            ("*/*;q=0.1, text/csv;q=0.05, application/x-ndjson ; Q=0.2", .lines),
            ("text/*, application/json;q=0.9", .csv),
            ("application/*;q=0.5, application/json;q=0", .lines), ("application/json;q=0, */*", .lines),
            ("text/csv;header=present;q=0.3, application/json;q=0.300", .csv), ("*/*;q=0", .json),
            ("text/csv;q=none, application/json;q=1.000", .csv), ("text/csv, application/json", .csv),
        ] as [(String?, DeliveryFormat)]
    )
    func whatIsAccepted(accept: String?, format: DeliveryFormat) {
        #expect(DeliveryFormat(accept: accept) == format)
    }

    @Test(
        arguments: [
            ("gzip", 1000), ("gzip;q=0", 0), ("gzip; q=0.0", 0), ("gzip;q=0.0001", 0), ("gzip;q=0.25", 250),
            ("gzip;q=1", 1000), ("gzip;q=1.5", 1000), ("gzip;q=.5", 1000), ("gzip;q=-1", 1000), ("gzip;q=", 1000),
            (" GZIP ;level=9; Q=0.007 ", 7),
        ]
    )
    func whatAWordIsWorth(text: String, weight: Int) {
        #expect(WeightedWord(text).name == "gzip" && WeightedWord(text).weight == weight)
    }
}
