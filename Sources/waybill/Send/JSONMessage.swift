import WaybillCore

/// Examines a dispatch message that a JSON file holds, and passes it on as it is or in parts.
struct JSONMessage {
    let decoder: BatchDecoder
    let envelope: Envelope
    /// `nil` leaves the message in one piece.
    let batchSize: Int?

    /// The messages of the file.
    ///
    /// - Throws: everything that is wrong with it.
    func messages(_ bytes: [UInt8]) throws(InputErrors) -> [OutgoingMessage] {
        let batch: Batch
        switch decoder.decode(bytes, properties: MessageProperties()) {
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
        guard batchSize != nil || !envelope.isEmpty else {
            return [OutgoingMessage(body: bytes, count: batch.items.count)]
        }
        return try parts(of: batch)
    }

    private func parts(of batch: Batch) throws(InputErrors) -> [OutgoingMessage] {
        var batch = batch
        batch.client = envelope.client ?? batch.client
        if let lane = envelope.lane {
            guard let position = decoder.lanes.firstIndex(where: { $0.name == lane }) else {
                throw InputErrors(errors: [InputError(line: 1, reason: "there is no lane \(lane)")])
            }
            batch.lane = position
            batch.laneName = lane
        }
        let size = batchSize ?? batch.items.count
        let id = envelope.batchID ?? batch.id
        let starts = Array(stride(from: 0, to: batch.items.count, by: size))
        var messages: [OutgoingMessage] = []
        for (number, start) in starts.enumerated() {
            batch.id = Envelope.batchID(id, part: starts.count > 1 ? number + 1 : nil)
            let positions = Array(start..<min(start + size, batch.items.count))
            let body = RetryEnvelope.encode(batch, positions: positions)
            // The names from the command line are new, and the envelope may be one level deeper and a little longer.
            if case .failure(let rejection) = decoder.decode(body, properties: MessageProperties()) {
                throw InputErrors(errors: [InputError(line: 1, reason: "as message \(number + 1): \(rejection.detail)")]
                )
            }
            messages.append(OutgoingMessage(body: body, count: positions.count))
        }
        return messages
    }
}
