import Testing
import WaybillAPNS
import WaybillCore
import WaybillTLS

@testable import WaybillProviders

/// `receipt`, and what a push carries because of it.
struct ReceiptItemTests {
    private static let lanes = [ReceiptRule.onRequest, .byDefault, .unavailable].map { rule in
        Lane(name: "\(rule)", environment: .production, bundleID: "com.example.parcels", receipts: rule)
    }

    private static func batch(_ members: String, defaults: String = "{}", lane: String = "onRequest") throws -> Batch {
        let body =
            "{\"lane\":\"\(lane)\",\"batch_id\":\"b\",\"defaults\":\(defaults),"
            + "\"notifications\":[{\"device_token\":\"\(Samples.token)\"\(members)}]}"
        return try BatchDecoder(limits: DecodingLimits(), lanes: lanes)
            .decode(Array(body.utf8), properties: MessageProperties()).get()
    }

    private static func item(_ members: String, defaults: String = "{}", lane: String = "onRequest") throws
        -> Batch.Item
    {
        try batch(members, defaults: defaults, lane: lane).items[0]
    }

    private static let message = #","message":"x""#
    private static let payload = #","payload":{"aps":{"alert":"x"}}"#

    /// Content, what the item, the defaults and the lane say, and whether a receipt is asked for.
    @Test(
        arguments: [
            (message, "", "{}", "onRequest", false), (message, "", "{}", "byDefault", true),
            (message, "", "{}", "unavailable", false), (message, #","receipt":true"#, "{}", "onRequest", true),
            (message, #","receipt":false"#, "{}", "byDefault", false),
            (message, "", #"{"receipt":true}"#, "onRequest", true),
            (message, #","receipt":false"#, #"{"receipt":true}"#, "onRequest", false),
            (message, #","receipt":false"#, "{}", "unavailable", false),
            // A payload is touched by nobody but its own message.
            (payload, "", "{}", "byDefault", false), (payload, #","receipt":true"#, "{}", "onRequest", true),
            (payload, "", #"{"receipt":true}"#, "onRequest", true),
            (payload, #","receipt":false"#, #"{"receipt":true}"#, "byDefault", false),
        ] as [(String, String, String, String, Bool)]
    )
    func whoAsksIsAnswered(content: String, own: String, defaults: String, lane: String, asks: Bool) throws {
        let item = try Self.item(content + own, defaults: defaults, lane: lane)
        #expect(try #require(item.valid).asksReceipt == asks)
    }

    @Test(
        arguments: [
            (#","message":"x","receipt":1"#, "onRequest", "receipt: must be true or false"),
            (
                #","message":"x","receipt":true"#, "unavailable",
                "receipt: is not possible: the configuration has no section receipts"
            ),
            (
                #","message":"x","receipt":true,"mutable_content":false"#, "onRequest",
                "mutable_content: must be true where a receipt is asked for"
            ),
            (
                #","payload":{"aps":{},"wb_rcpt":"mine"},"receipt":true"#, "onRequest",
                "payload: must not have wb_id or wb_rcpt of its own where receipt is true"
            ),
            (
                #","payload":{"wb\u005fid":"mine","aps":{}},"receipt":true"#, "onRequest",
                "payload: must not have wb_id or wb_rcpt of its own where receipt is true"
            ),
        ]
    )
    func whatCannotBeIsTold(members: String, lane: String, reason: String) throws {
        #expect(try Self.item(members, lane: lane).invalid?.reason == reason)
    }

    @Test func anExtensionRunsForWhatIsBuiltAndAPayloadIsLeftAsItIs() throws {
        func text(_ members: String) throws -> String {
            String(decoding: try #require(try Self.item(members).valid).payload, as: UTF8.self)
        }
        #expect(try text(#","message":"x","receipt":true"#) == #"{"aps":{"alert":"x","mutable-content":1}}"#)
        #expect(
            try text(#","message":"x","receipt":true,"badge":1,"mutable_content":true"#)
                == #"{"aps":{"alert":"x","badge":1,"mutable-content":1}}"#
        )
        #expect(try text(#","message":"x""#) == #"{"aps":{"alert":"x"}}"#)
        #expect(try text(#","payload":{"aps":{}},"receipt":true"#) == #"{"aps":{}}"#)
    }

    @Test func aMessageMayAskForSomeOfItsItemsOnly() throws {
        let body =
            "[{\"device_token\":\"\(Samples.token)\",\"message\":\"x\"},"
            + "{\"device_token\":\"\(Samples.token)\",\"message\":\"x\",\"receipt\":true},"
            + "{\"device_token\":\"\(Samples.token)\",\"message\":\"x\"}]"
        let batch = try BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
            .decode(Array(body.utf8), properties: MessageProperties()).get()
        let items = batch.items.compactMap(\.valid)
        #expect(items.map(\.asksReceipt) == [false, true, false])
        #expect(items.map { $0.payload.count } == [21, 41, 21])
    }

    /// The capability counts in the size limit, with the longest id that a key can have.
    @Test(arguments: [(0, true), (1, false)], [false, true])
    func itCountsInTheSize(_ size: (excess: Int, isValid: Bool), isGiven: Bool) throws {
        let (excess, isValid) = size
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        let text = String(repeating: "x", count: 4096 - frame - ReceiptMembers.mostBytes(isGiven: isGiven) + excess)
        let given = isGiven ? ",\"apns_id\":\"\(Samples.apnsID)\"" : ""
        let item = try Self.item(given + ",\"payload\":{\"aps\":{\"alert\":\"\(text)\"}},\"receipt\":true")
        #expect((item.valid != nil) == isValid)
        if !isValid { #expect(item.invalid?.reason == "payload: is 4097 bytes as sent, more than 4096") }
    }

    @Test func idAndCollapseIDSayNothingOfIt() throws {
        func notification(_ members: String) throws -> WaybillCore.Notification {
            try #require(try Self.item(members).valid)
        }
        let payload = #","payload":{"aps":{}},"receipt":"#
        let (asking, silent) = (try notification(payload + "true"), try notification(payload + "false"))
        #expect(asking.collapseKey == silent.collapseKey)
        let given = #","apns_id":"\#(Samples.apnsID)""#
        let (first, second) = (try notification(given + payload + "true"), try notification(given + payload + "false"))
        #expect(first.fingerprint == second.fingerprint && first.fingerprint != nil)
    }

    // MARK: - What is sent

    private static let key = ReceiptKey(id: "k1", secret: Array("0123456789abcdef0123456789abcdef".utf8))!
    private static let keys = ReceiptKeys(current: key)!

    private func sent(_ batch: Batch) -> [String] {
        var requests = SendRequests(for: Self.lanes[0], capacity: batch.items.count)
        let signer = ReceiptSigner(key: Self.key, lifetime: .seconds(100))
        for (position, item) in batch.items.enumerated() {
            guard let notification = item.valid else { continue }
            if notification.asksReceipt {
                requests.append(notification, position: position, notAfter: .max, signer: signer, now: 1_000)
            } else {
                requests.append(notification, position: position, notAfter: .max)
            }
        }
        requests.seal()
        return requests.apns.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("{}", "{"), ("{ }", "{ "), (#"{"aps":{}}"#, #"{"aps":{},"#), (#"{"a":"{" }"#, #"{"a":"{" ,"#),
            (#"{"aps":{"alert":"x"},"n":7}"#, #"{"aps":{"alert":"x"},"n":7,"#),
        ]
    )
    func itIsTheLastMember(payload: String, head: String) throws {
        let batch = try Self.batch(",\"payload\":\(payload),\"receipt\":true")
        let text = try #require(sent(batch).first)
        let members = head + "\"wb_id\":\"\(batch.identity.id(at: 0))\",\"wb_rcpt\":\""
        #expect(text.hasPrefix(members + "v1.k1.1100.") && text.hasSuffix("\"}"))
        #expect(text.utf8.count <= payload.utf8.count + ReceiptMembers.mostBytes(isGiven: false))
        let capability = Array(text.dropFirst(members.count).dropLast(2).utf8)
        let verdict = capability.withUnsafeBufferPointer { bytes in
            ReceiptCapability.verdict(on: bytes, for: batch.identity.id(at: 0), now: 1_100, keys: Self.keys)
        }
        #expect(verdict == .valid(content: nil))
        // What is kept is what it was.
        #expect(batch.items[0].valid.map { String(decoding: $0.payload, as: UTF8.self) } == payload)
    }

    /// Of two messages that give one id, each push says which of them it is.
    @Test func aGivenIDIsNamedWithWhatItIsAbout() throws {
        let batches = try ["{}", #"{"badge":1}"#].map { content in
            try Self.batch(#","apns_id":"\#(Samples.apnsID)","payload":{"aps":\#(content)},"receipt":true"#)
        }
        let id = try #require(NotificationID(Samples.apnsID))
        var contents: [UInt64] = []
        for batch in batches {
            let text = try #require(sent(batch).first)
            let payload = try #require(batch.items[0].valid).payload
            #expect(text.utf8.count <= payload.count + ReceiptMembers.mostBytes(isGiven: true))
            let start = try #require(text.firstRange(of: "\"wb_rcpt\":\"")).upperBound
            let capability = Array(text[start...].dropLast(2).utf8)
            let verdict = capability.withUnsafeBufferPointer {
                ReceiptCapability.verdict(on: $0, for: id, now: 1_100, keys: Self.keys)
            }
            let content = try #require(batch.items[0].valid?.fingerprint)
            #expect(verdict == .valid(content: content))
            contents.append(content)
        }
        #expect(Set(contents).count == 2)
    }

    @Test func eachHasItsOwnAndTheOthersHaveNone() throws {
        let body =
            "{\"batch_id\":\"b\",\"payload\":{\"aps\":{}},\"receipt\":true,\"device_tokens\":"
            + "[\"\(Samples.token)\",\"\(Samples.otherToken)\"]}"
        let batch = try BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
            .decode(Array(body.utf8), properties: MessageProperties()).get()
        let texts = sent(batch)
        #expect(Set(texts).count == 2)
        let silent = try Self.batch(Self.payload)
        #expect(sent(silent) == [#"{"aps":{"alert":"x"}}"#])
    }

    /// A delayed retry is decoded again, and asks again.
    @Test func aRetryKeepsWhatItsMessageSaid() throws {
        let batch = try Self.batch(#","message":"x""#, defaults: #"{"receipt":true}"#)
        guard case .notifications(let defaults) = batch.form else { return #expect(Bool(false)) }
        #expect(defaults.map { String(decoding: $0, as: UTF8.self) } == #"{"receipt":true}"#)
    }
}
