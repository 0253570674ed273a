import HTTPTypes
import NIOCore
import Testing
import WaybillDeliveryLog
import WaybillMongo

@testable import WaybillHTTPAPI

/// Whoever looks at an answer in a terminal sees what is there.
@Suite("JSON of answers, in a terminal")
struct ShownJSONTests {
    private static let text = "\u{9b}31m\u{202e}"
    private static let escaped = #"\u009b31m\u202e"#

    @Test func bodiesAreEscaped() {
        let json = Array(#"{"note":"\#(Self.text)"}"#.utf8)
        #expect(String(buffer: ByteBuffer(json: json)) == #"{"note":"\#(Self.escaped)"}"#)
        let problem = String(buffer: Problem(.badRequest, Self.text).body(requestID: "r"))
        #expect(problem.contains(#""detail":"\#(Self.escaped)""#))
    }

    @Test func eventsAreEscaped() {
        let event = ServerSentEvent.text("delivery", id: "7", data: #"{"note":"\#(Self.text)"}"#)
        #expect(event == "id: 7\nevent: delivery\ndata: {\"note\":\"\(Self.escaped)\"}\n\n")
    }

    @Test func recordsAreEscapedInEveryForm() {
        let record = LoggedDelivery(document: BSONDocument { $0.append("message", string: Self.text) })
        #expect(DeliveryFormat.lines.line(record, tokens: .whole) == #"{"message":"\#(Self.escaped)"}"# + "\n")
        let row = DeliveryFormat.csv.line(record, tokens: .whole)
        #expect(row.contains("[U+009B]31m[U+202E]"))
    }
}
