import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillProviders

/// What we write as a producer is what a dispatcher reads.
struct DispatchMessageTests {
    private static let lanes = [
        Lane(name: "first", environment: .production, bundleID: "com.example.first"),
        Lane(name: "second", environment: .sandbox, bundleID: "com.example.second"),
    ]

    @Test(
        arguments: [
            ("b", nil, nil), ("b \"quoted\" \u{e9}", "acme", nil), ("b", nil, "second"), ("b", "acme", "second"),
        ] as [(String, String?, String?)]
    )
    func anEnvelopeIsReadAsItWasWritten(batchID: String, client: String?, lane: String?) throws {
        for (list, content, items) in [
            (.notifications, "", #"{"device_token":"0f","message":"a"},{"device_token":"1f","message":"b"}"#),
            (.deviceTokens, #""message":"a","#, #""0f","1f""#),
        ] as [(DispatchMessage.List, String, String)] {
            var body: [UInt8] = []
            DispatchMessage.appendNames(batchID: batchID, client: client, lane: lane, to: &body)
            body += content.utf8
            DispatchMessage.appendOpening(of: list, to: &body)
            body += items.utf8
            DispatchMessage.appendClosing(to: &body)
            let decoder = BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
            let batch = try decoder.decode(body, properties: MessageProperties()).get()
            #expect((batch.id, batch.client, batch.laneName) == (batchID, client, lane ?? "first"))
            #expect(batch.items.count == 2)
        }
    }

    @Test func onlyANamedUserIsPublished() {
        let anonymous = DispatchMessage.properties(messageID: "m", timestamp: 5)
        #expect((anonymous.messageID, anonymous.timestamp, anonymous.namesUser) == ("m", 5, false))
        #expect(anonymous.isPersistent)
        let named = DispatchMessage.properties(messageID: "m", timestamp: 5, appID: "waybill", user: "acme-app")
        #expect((named.appID, named.userID, named.namesUser) == ("waybill", "acme-app", true))
    }
}
