import Testing
import WaybillCore
import WaybillProviders

@testable import waybill

@Suite("Batches of items")
struct ItemBatcherTests {
    private static let item = #"{"device_token":"00","message":"a"}"#

    private static func batcher(
        _ envelope: Envelope = Envelope(batchID: "b"),
        size: Int = 2,
        limits: DecodingLimits = DecodingLimits()
    )
        -> ItemBatcher
    {
        let lane = Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels")
        return ItemBatcher(
            decoder: BatchDecoder(limits: limits, lanes: [lane]),
            envelope: envelope,
            batchSize: size
        )
    }

    private static func items(_ count: Int) -> [SourceItem] {
        NDJSONReader.items(Array(repeating: "\(item)\r\n", count: count).joined().utf8.map(\.self))
    }

    @Test("NDJSON is one item to a line, empty lines skipped and counted")
    func ndjson() {
        let items = NDJSONReader.items(Array("{}\n\n \t\r\n{\"a\":1}\r\n[]".utf8))
        #expect(items.map(\.line) == [1, 4, 5])
        #expect(NDJSONReader.items([]).isEmpty)
    }

    @Test("one message keeps the name, several are numbered")
    func names() throws {
        let envelope = Envelope(batchID: "campaign", client: "acme", lane: "parcels")
        let single = try Self.batcher(envelope).messages(Self.items(2))
        #expect(single.map(\.count) == [2])
        #expect(
            String(decoding: single[0].body, as: UTF8.self).hasPrefix(
                #"{"batch_id":"campaign","client":"acme","lane":"parcels","notifications":["#
            )
        )
        let several = try Self.batcher(envelope).messages(Self.items(5))
        #expect(several.map(\.count) == [2, 2, 1])
        for (number, message) in several.enumerated() {
            let batch = try Self.batcher().decoder.decode(message.body, properties: MessageProperties()).get()
            #expect(batch.id == "campaign.\(number + 1)")
            #expect(batch.client == "acme")
            #expect(batch.items.count == message.count)
        }
    }

    @Test("no message is larger than a dispatcher takes")
    func sizes() throws {
        let limits = DecodingLimits(maxBodySize: 200, maxNotifications: 3)
        let messages = try Self.batcher(Envelope(batchID: "b"), size: 100, limits: limits).messages(Self.items(50))
        #expect(messages.reduce(0) { $0 + $1.count } == 50)
        #expect(messages.allSatisfy { $0.body.count <= 200 && (1...3).contains($0.count) })
    }

    @Test("a name that is too long with its number is found before anything is sent")
    func longName() throws {
        let envelope = Envelope(batchID: String(repeating: "b", count: 254))
        #expect(try Self.batcher(envelope).messages(Self.items(2)).count == 1)
        let errors = #expect(throws: InputErrors.self) { try Self.batcher(envelope).messages(Self.items(3)) }
        #expect(errors?.errors.first?.reason.contains("batch_id") == true)
    }

    @Test(
        "what is wrong is named with its line",
        arguments: [
            (#"{"device_token":"zz"}"#, "device_token: "), (#"{"message":"a"}"#, "device_token: "),
            ("5", "notification: "),
            ("\(item),\(item)", "more than one"), (#"{"device_token":"00","message":"a"}],"x-a":[0"#, "more than one"),
            (#"{"device_token":"00","#, "at column "),
            (#"{"device_token":"00","payload":{"a":"\#(String(repeating: "a", count: 4096))"}}"#, "payload: "),
        ]
    )
    func faults(line: String, reason: String) {
        let source = NDJSONReader.items(Array("\(Self.item)\n\(line)\n".utf8))
        let errors = #expect(throws: InputErrors.self) { try Self.batcher().messages(source) }
        #expect(errors?.errors.map(\.line) == [2])
        #expect(errors?.errors.first?.reason.contains(reason) == true, "\(errors?.lines ?? [])")
    }

    @Test("many errors are cut short, and counted")
    func manyErrors() {
        let errors = InputErrors(errors: (1...25).map { InputError(line: $0, reason: "wrong") })
        #expect(errors.lines.count == 21)
        #expect(errors.lines.first == "line 1: wrong")
        #expect(errors.lines.last == "and 5 more")
    }

    @Test("a JSON message is passed on unchanged, or split under names of its own")
    func jsonMessage() throws {
        let decoder = Self.batcher().decoder
        let body = Array("[\(Self.item),\(Self.item),\(Self.item)]".utf8)
        func json(_ envelope: Envelope, _ batchSize: Int?) -> JSONMessage {
            JSONMessage(decoder: decoder, envelope: envelope, isNamed: true, batchSize: batchSize)
        }
        let whole = try json(Envelope(batchID: "b"), nil).messages(body).messages
        #expect(whole.map(\.body) == [body])
        let parts = try json(Envelope(batchID: "b"), 2).messages(body).messages
        #expect(parts.map(\.id) == ["b.1", "b.2"])
        #expect(parts.map(\.count) == [2, 1])
        let ids = try parts.map { try decoder.decode($0.body, properties: MessageProperties()).get().id }
        #expect(ids == ["b.1", "b.2"])
        let long = String(repeating: "c", count: 256)
        for envelope in [Envelope(batchID: "b", client: long), Envelope(batchID: long), Envelope(batchID: "")] {
            #expect(throws: InputErrors.self) { try json(envelope, nil).messages(body) }
        }
    }
}
