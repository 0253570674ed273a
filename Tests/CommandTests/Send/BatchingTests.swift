import Testing
import WaybillCore
import WaybillProviders

@testable import waybill

@Suite("Grouping notifications into messages")
struct BatchingTests {
    private static let lanes = [
        Lane(name: "first", environment: .production, bundleID: "com.example.first"),
        Lane(name: "second", environment: .sandbox, bundleID: "com.example.second"),
    ]

    private func decoder() -> BatchDecoder {
        BatchDecoder(limits: DecodingLimits(), lanes: Self.lanes)
    }

    private func items(_ count: Int) -> [SourceItem] {
        NDJSONReader.items(
            Array((0..<count).map { "{\"device_token\":\"0\($0 % 10)\",\"message\":\"m\($0)\"}\n" }.joined().utf8)
        )
    }

    private func json(_ envelope: Envelope, isNamed: Bool = false, batchSize: Int? = nil) -> JSONMessage {
        JSONMessage(decoder: decoder(), envelope: envelope, isNamed: isNamed, batchSize: batchSize)
    }

    /// What a dispatcher makes of a message.
    private func decode(_ message: OutgoingMessage) throws -> Batch {
        try decoder().decode(message.body, properties: MessageProperties(messageID: "id")).get()
    }

    @Test(
        "every item arrives once and in order, in messages of the batch size",
        arguments: [(250, 100), (100, 100), (1, 1), (3, 2)]
    )
    func sizes(count: Int, size: Int) throws {
        let envelope = Envelope(batchID: "b", client: "acme", lane: "second")
        let messages = try ItemBatcher(decoder: decoder(), envelope: envelope, batchSize: size).messages(items(count))
        let batches = try messages.map(decode)
        #expect(messages.map(\.count) == batches.map(\.items.count))
        #expect(batches.allSatisfy { $0.items.count <= size && $0.client == "acme" && $0.laneName == "second" })
        let texts = batches.flatMap(\.items).map { String(decoding: $0.source, as: UTF8.self) }
        #expect(texts.count == count)
        #expect(texts.enumerated().allSatisfy { $1.contains("\"m\($0)\"") })
    }

    @Test("a JSON message is published as it is, byte for byte")
    func asItIs() throws {
        let body = Array(" [ {\"device_token\" : \"00\", \"message\":\"\\u00e4\"} ]\n".utf8)
        let messages = try json(Envelope(batchID: "new")).messages(body).messages
        #expect(messages.map(\.id) == ["new"])
        #expect(messages.map(\.body) == [body])
        #expect(messages.map(\.count) == [1])
    }

    @Test(
        "a JSON message stays as it is under its own name, or under any if it has none; another name is written into it",
        arguments: [
            (nil, nil, "new", true), (nil, "b", "b", true), ("own", nil, "own", true), ("own", "own", "own", true),
            ("own", "b", "b", false),
        ] as [(String?, String?, String, Bool)]
    )
    func names(own: String?, given: String?, name: String, isUnchanged: Bool) throws {
        let opening = own.map { "\"batch_id\":\"\($0)\"," } ?? ""
        let body = Array("{\(opening)\"notifications\":[{\"device_token\":\"00\",\"message\":\"a\"}]}".utf8)
        let input = try json(Envelope(batchID: given ?? "new"), isNamed: given != nil).messages(body)
        #expect(input.batchID == name)
        #expect(input.messages.map(\.id) == [name])
        #expect((input.messages.map(\.body) == [body]) == isUnchanged)
        let properties = MessageProperties(messageID: name)
        #expect(try decoder().decode(input.messages[0].body, properties: properties).get().id == name)
    }

    @Test("a JSON message is split with what its parts share")
    func split() throws {
        let body =
            #"{"batch_id":"c","client":"acme","lane":"second","payload":{"aps":{"alert":"x"}},"priority":5,"device_tokens":["00","01","02"]}"#
        let messages = try json(Envelope(batchID: "new"), batchSize: 2).messages(Array(body.utf8)).messages
        let batches = try messages.map(decode)
        #expect(batches.map(\.id) == ["c.1", "c.2"])
        #expect(batches.map(\.items.count) == [2, 1])
        #expect(batches.allSatisfy { $0.client == "acme" && $0.laneName == "second" })
        for item in batches.flatMap(\.items) {
            guard case .valid(let notification) = item.content else {
                Issue.record("an item became invalid")
                continue
            }
            #expect(String(decoding: notification.payload, as: UTF8.self) == #"{"aps":{"alert":"x"}}"#)
            #expect(notification.priority == .normal)
        }
    }

    @Test("names on the command line replace those of a JSON message")
    func renamed() throws {
        let body = Array(#"[{"device_token":"00","message":"a"}]"#.utf8)
        let envelope = Envelope(batchID: "b", client: "contoso", lane: "second")
        let message = try #require(
            try json(envelope, isNamed: true).messages(body).messages.first
        )
        let batch = try decode(message)
        #expect(batch.id == "b")
        #expect(batch.client == "contoso")
        #expect(batch.laneName == "second")
    }
}
