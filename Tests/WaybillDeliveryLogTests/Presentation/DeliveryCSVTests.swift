import Foundation
import Testing
import WaybillMongo
import WaybillTestSupport

@testable import WaybillDeliveryLog

@Suite struct DeliveryCSVTests {
    private func line(message: String) -> String {
        DeliveryCSV.line(
            LoggedDelivery(
                document: BSONDocument { writer in
                    writer.append("_id", uuid: 1, 2)
                    writer.append("outcome", string: "accepted")
                    writer.append("status_code", int: 200)
                    writer.append("date", date: 0)
                    writer.append("attempts", int: 1)
                    writer.append("latency_ms", double: 1.5)
                    writer.append("repeat", bool: true)
                    writer.append("message", string: message)
                }
            )
        )
    }

    @Test func theColumnsStayWhereTheyAre() {
        #expect(
            DeliveryCSV.header
                == "_id,apns_id,date,outcome,status_code,reason,device_token,batch_id,position,client,lane,topic,push_type,"
                + "priority,expiration,max_age,collapse_id,attempts,latency_ms,queued_ms,invalid_since,repeat,expires_at,"
                + "content,message,service_id,provider,provider_id,family,push_type_from,expiration_from,due,pass\r\n"
        )
        #expect(
            line(message: "Hello")
                == "00000000-0000-0001-0000-000000000002,00000000-0000-0001-0000-000000000002,1970-01-01T00:00:00.000Z,accepted,200,,,,,,,,,,,,,1,1.5,,,true,,,"
                + "Hello,,,,,,,,\r\n"
        )
    }

    /// What is a list or an object of its own has no column, and neither has what statistics alone look for.
    @Test func eachFieldOfARecordHasAColumn() throws {
        let schema = try JSONSerialization.jsonObject(
            with: Data(SchemaExample.text("delivery-record.schema.json").utf8)
        )
        let fields = try #require((schema as? [String: Any])?["properties"] as? [String: Any])
        #expect(Set(DeliveryCSV.columns) == Set(fields.keys).subtracting(["history", "waited", "by_date", "day"]))
    }

    @Test func theIDThatWasGivenIsInItsColumn() {
        let document = BSONDocument { writer in
            writer.append("_id", uuid: 1, 2)
            writer.append("apns_id", uuid: 3, 4)
        }
        #expect(
            DeliveryCSV.line(LoggedDelivery(document: document)).hasPrefix(
                "00000000-0000-0001-0000-000000000002,00000000-0000-0003-0000-000000000004,"
            )
        )
    }

    @Test func aRepeatNamesWhatItSendsAgain() {
        let document = BSONDocument { writer in
            writer.append("_id", uuid: 1, 2)
            writer.append(
                "family",
                document: { family in
                    family.append("first", uuid: 3, 4)
                    family.append("number", int: 2)
                    family.append("of", int: 5)
                }
            )
        }
        let line = DeliveryCSV.line(LoggedDelivery(document: document))
        #expect(line.hasSuffix(",00000000-0000-0003-0000-000000000004,,,,\r\n"))
    }

    @Test(
        arguments: [
            ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""), ("a\nb", "\"a\nb\""),
            ("a\r\nb", "\"a[U+000D]\nb\""), ("=1+1", "'=1+1"),
            ("+49", "'+49"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'[U+0009]=1"), ("\n=1", "'[U+000A]=1"),
            ("＝1", "'＝1"), (" =1", "' =1"), ("\u{200b}=1", "'[U+200B]=1"), ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("e\u{301}=", "e\u{301}="), ("", ""), ("a=b", "a=b"),
        ]
    )
    func textIsQuotedAndNoFormula(text: String, cell: String) {
        #expect(line(message: text).hasSuffix(",\(cell),,,,,,,,\r\n"))
    }
}
