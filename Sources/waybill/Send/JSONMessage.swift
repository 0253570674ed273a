import WaybillCore
import WaybillEncoding
import WaybillMessages
import WaybillProviders

/// Examines a dispatch message that a JSON file holds, and passes it on as it is or in parts.
struct JSONMessage {
    let decoder: BatchDecoder
    let envelope: Envelope
    /// Whether the name of the batch is the operator's, who may replace the file's with it.
    let isNamed: Bool
    /// `nil` leaves the message in one piece.
    let batchSize: Int?

    /// The messages of the file, and the name of their batch: the operator's, else the file's, else the run's.
    ///
    /// A file without a `batch_id` is published as it is under any name: its message id is the name.
    ///
    /// - Throws: everything that is wrong with it.
    func messages(_ bytes: [UInt8]) throws(InputErrors) -> (batchID: String, messages: [OutgoingMessage]) {
        let batch: Batch
        switch decoder.decode(bytes, properties: MessageProperties(messageID: envelope.batchID)) {
        case .failure(let rejection):
            let line = TextPosition.line(of: TextPosition.offset(in: rejection.detail) ?? 0, in: bytes)
            throw InputErrors(errors: [InputError(line: line, reason: rejection.detail)])
        case .success(let decoded): batch = decoded
        }
        let errors = batch.items.compactMap { item -> InputError? in
            guard case .invalid(let invalid) = item.content else { return nil }
            let line = TextPosition.line(of: item.source.startIndex, in: bytes)
            return InputError(line: line, reason: "notification \(item.index): \(invalid.reason)")
        }
        guard errors.isEmpty else { throw InputErrors(errors: errors) }
        let name = isNamed ? envelope.batchID : batch.id
        if batchSize == nil, envelope.client == nil, envelope.lane == nil, batch.id.isExactly(name) {
            return (name, [OutgoingMessage(id: name, body: bytes, count: batch.items.count)])
        }
        return (name, try parts(of: batch, named: name))
    }

    private func parts(of batch: Batch, named name: String) throws(InputErrors) -> [OutgoingMessage] {
        var batch = batch
        batch.client = envelope.client ?? batch.client
        if let lane = envelope.lane {
            guard let position = decoder.lanes.firstIndex(where: { $0.name.isExactly(lane) }) else {
                let reason = "lane: \(LaneName.unknown(lane, configured: decoder.lanes.map(\.name)))"
                throw InputErrors(errors: [InputError(line: 1, reason: reason)])
            }
            batch.lane = position
            batch.laneName = lane
        }
        let size = batchSize ?? batch.items.count
        let names = Envelope(batchID: name)
        let starts = Array(stride(from: 0, to: batch.items.count, by: size))
        var messages: [OutgoingMessage] = []
        for (number, start) in starts.enumerated() {
            batch.id = names.batchID(part: starts.count > 1 ? number + 1 : nil)
            let positions = Array(start..<min(start + size, batch.items.count))
            let body = RetryEnvelope.encode(batch, positions: positions)
            // The names from the command line are new, and the envelope may be one level deeper and a little longer.
            if case .failure(let rejection) = decoder.decode(body, properties: MessageProperties()) {
                let reason = "as message \(number + 1): \(rejection.detail)"
                throw InputErrors(errors: [InputError(line: 1, reason: reason)])
            }
            messages.append(OutgoingMessage(id: batch.id, body: body, count: positions.count))
        }
        return messages
    }
}
