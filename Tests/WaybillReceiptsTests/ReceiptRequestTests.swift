import Testing
import WaybillCore
import WaybillReceipts

/// What a device posts, read.
struct ReceiptRequestTests {
    private static let id = "5f0c7a3e-6a0e-5d0b-9a53-0d4cf2a1b9e7"
    private static let now: Int64 = 1_790_000_000_000

    private func read(_ body: String) throws(ReceiptRequest.Unreadable) -> ReceiptRequest {
        try ReceiptRequest(Array(body.utf8), now: Self.now)
    }

    @Test func oneReceiptIsReadWithAllThatItSays() throws {
        let request = try read(
            """
            {"id":"\(Self.id)","cap":"v1.k1.1.x","event":"received","at":1790000000456,"app":"1.2.3","prio":"normal",\
            "prio_asked":"high","later":{"deep":[1,2]}}
            """
        )
        let claim = try #require(request.claims.first)
        #expect(request.claims.count == 1 && request.faults.isEmpty)
        #expect(claim.capability == Array("v1.k1.1.x".utf8))
        #expect(
            claim.receipt
                == DeliveryReceipt(
                    id: try #require(NotificationID(Self.id)),
                    event: .received,
                    receivedAt: Self.now,
                    deviceTime: 1_790_000_000_456,
                    app: "1.2.3",
                    priority: "normal",
                    priorityAsked: "high"
                )
        )
    }

    @Test(arguments: ReceiptEvent.allCases) func eachEventIsKnownByItsName(_ event: ReceiptEvent) throws {
        let request = try read(#"{"id":"\#(Self.id)","cap":"c","event":"\#(event.name)"}"#)
        #expect(request.claims.map(\.receipt.event) == [event])
    }

    @Test func ofAnArrayWhatCannotBeReadIsToldAndTheRestIsTaken() throws {
        let good = #"{"id":"\#(Self.id)","cap":"c","event":"opened"}"#
        let request = try read("[\(good), {\"id\":\"x\",\"cap\":\"c\",\"event\":\"opened\"}, 7, \(good)]")
        #expect(request.claims.count == 2)
        #expect(request.faults.first?.text.hasPrefix("receipt 2: id: ") == true)
    }

    @Test func noMoreThanFiftyAreTakenAtOnce() throws {
        let good = #"{"id":"\#(Self.id)","cap":"c","event":"opened"}"#
        func body(_ count: Int) -> String { "[" + [String](repeating: good, count: count).joined(separator: ",") + "]" }
        #expect(try read(body(50)).faults.isEmpty)
        #expect(try !read(body(50)).isTooLong)
        let request = try read(body(51))
        #expect(request.claims.count == 50)
        #expect(request.faults.first?.text == "receipt 51: is one too many; 50 are taken at once")
        #expect(request.isTooLong)
    }

    @Test(arguments: [
        (#""id":7"#, "id: must be a text"), (#""id":"7""#, "id: must be the notification's id"),
        (#""cap":"""#, "cap: must be what came as wb_rcpt"), (#""event":"read""#, "event: must be one of received,"),
        (#""at":"soon""#, "at: must be a time"), (#""at":-1"#, "at: must be a time"),
        (#""at":1.5"#, "at: must be a time"),
        (#""app":true"#, "app: must be a text"),
        (#""app":"\ud800""#, "app: holds half of a surrogate pair, which is no text"),
        (#""app":"\#(String(repeating: "1", count: 65))""#, "app: must be at most 64 bytes"),
        (#""prio":"\u0007""#, "prio: must be at most 64 bytes without control characters"),
        (#""x":"\#(String(repeating: "1", count: 1024))""#, "is 1103 bytes, more than 1024"),
    ])
    func whatIsWrongIsNamed(_ member: String, _ words: String) throws {
        var members = ["id": #""id":"\#(Self.id)""#, "cap": #""cap":"c""#, "event": #""event":"opened""#]
        members[String(member.dropFirst().prefix { $0 != "\"" })] = member
        let request = try read("{" + members.sorted { $0.key < $1.key }.map(\.value).joined(separator: ",") + "}")
        #expect(request.claims.isEmpty)
        #expect(request.faults.first?.text.hasPrefix(words) == true, "\(request.faults.first?.text ?? "nothing")")
    }

    @Test(arguments: ["", "7", "\"x\"", "{", "[{]", "[]", "[" + String(repeating: "[", count: 20), "{}x", "\u{1}"])
    func whatIsNoRequestIsRefusedAsAWhole(_ body: String) {
        #expect(throws: ReceiptRequest.Unreadable.self) { try read(body) }
    }

    @Test func aMemberThatIsThereTwiceIsRefused() throws {
        let request = try read(#"{"id":"\#(Self.id)","cap":"a","cap":"b","event":"opened"}"#)
        #expect(request.claims.isEmpty)
        #expect(request.faults.first?.text == "cap: is there twice")
    }

    /// All that is wrong with the first entry that is, each member once.
    @Test func allThatIsWrongWithAnEntryIsSaid() throws {
        let request = try read(#"[{"id": 1, "event": "x", "at": "y"}, {}]"#)
        #expect(request.faults.map(\.member) == ["id", "at", "cap", "event"])
        #expect(request.faults.allSatisfy { $0.number == 0 && $0.text.hasPrefix("receipt 1: ") })
    }
}
