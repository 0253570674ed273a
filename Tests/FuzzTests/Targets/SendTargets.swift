import WaybillCore
import WaybillProviders

@testable import waybill

extension FuzzTarget {
    /// `waybill send` with comma-separated values.
    static let csv = FuzzTarget("csv", dictionary: "csv") { bytes in
        try checkRecords(bytes)
        guard let items = try? CSVItems.items(bytes) else { return }
        for item in items {
            // Whatever stands in the cells, it stays in its own notification.
            let body = Array("[".utf8) + item.json + Array("]".utf8)
            if case .success(let batch) = BatchProperties.decoder.decode(body, properties: MessageProperties()) {
                try require(batch.items.count == 1, "a record has become \(batch.items.count) notifications")
            }
        }
        try checkMessages(of: items)
    }

    /// `waybill send` with one notification on a line.
    static let ndjson = FuzzTarget("ndjson", dictionary: "json") { bytes in
        try checkMessages(of: NDJSONReader.items(bytes))
    }

    /// `waybill send` with a dispatch message.
    static let jsonFile = FuzzTarget("json-file", examples: "dispatch-message", dictionary: "json") { bytes in
        for (envelope, batchSize) in [
            (Envelope(batchID: "b"), 1), (Envelope(batchID: "b", client: "c", lane: "chat"), nil),
        ] {
            let reader = JSONMessage(
                decoder: BatchProperties.decoder,
                envelope: envelope,
                isNamed: batchSize == nil,
                batchSize: batchSize
            )
            guard let input = try? reader.messages(bytes) else { continue }
            try check(input.messages)
        }
    }

    private static func checkMessages(of items: [SourceItem]) throws {
        let batcher = ItemBatcher(
            decoder: BatchProperties.decoder,
            envelope: Envelope(batchID: "b", client: "c", lane: "chat"),
            batchSize: 3
        )
        let messages: [OutgoingMessage]
        do {
            messages = try batcher.messages(items)
        } catch {
            try require(!error.lines.isEmpty, "refused without a word")
            return
        }
        try require(messages.reduce(0) { $0 + $1.count } == items.count, "another number of notifications")
        try check(messages)
    }

    /// What is published can be read by a dispatcher, and every item of it is sent.
    private static func check(_ messages: [OutgoingMessage]) throws {
        for message in messages {
            let decoded = BatchProperties.decoder.decode(message.body, properties: MessageProperties())
            guard case .success(let batch) = decoded else {
                throw Violation(description: "a dispatcher cannot read what was published")
            }
            try require(batch.items.count == message.count, "\(batch.items.count) items, not \(message.count)")
            for item in batch.items {
                if case .invalid(let invalid) = item.content { throw Violation(description: invalid.reason) }
            }
        }
    }

    /// Records that are written again with every field in quotes are the same records.
    private static func checkRecords(_ bytes: [UInt8]) throws {
        guard let records = records(bytes) else { return }
        let lines = records.map { record in
            record.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
        }
        try require(self.records(Array(lines.joined(separator: "\r\n").utf8)) == records, "other records")
    }

    /// The fields of every record; `nil` if there is a fault.
    private static func records(_ bytes: [UInt8]) -> [[String]]? {
        var reader = CSVReader(bytes)
        var records: [[String]] = []
        do {
            while let record = try reader.next() { records.append(record.fields) }
        } catch {
            return nil
        }
        return records
    }
}
