import WaybillCore
import WaybillProviders

/// Examines the notifications of an NDJSON or CSV input and groups them into messages.
struct ItemBatcher {
    let decoder: BatchDecoder
    let envelope: Envelope
    let batchSize: Int

    /// The messages of an input.
    ///
    /// - Throws: everything that is wrong with the input. Nothing is sent of an input that is wrong anywhere.
    func messages(_ items: [SourceItem]) throws(InputErrors) -> [OutgoingMessage] {
        let groups = group(items)
        // What is fine under the plain name may be too long under a message's own: NAME.1.
        let opening = envelope.opening(part: groups.count > 1 ? groups.count : nil)
        let errors = items.compactMap { error($0, opening: opening) }
        guard errors.isEmpty else { throw InputErrors(errors: errors) }
        return groups.enumerated().map { number, group in
            var body = envelope.opening(part: groups.count > 1 ? number + 1 : nil)
            for (position, item) in group.enumerated() {
                if position > 0 { body.append(UInt8(ascii: ",")) }
                body += item.json
            }
            return OutgoingMessage(
                id: envelope.batchID(part: groups.count > 1 ? number + 1 : nil),
                body: body + Envelope.closing,
                count: group.count
            )
        }
    }

    /// What a dispatcher would find wrong with one item, alone in a message.
    private func error(_ item: SourceItem, opening: [UInt8]) -> InputError? {
        let body = opening + item.json + Envelope.closing
        switch decoder.decode(body, properties: MessageProperties()) {
        case .failure(let rejection):
            return InputError(
                line: item.line,
                reason: TextPosition.asColumn(rejection.detail, startingAt: opening.count)
            )
        case .success(let batch):
            // `{…},{…}` on one line would be two, and `{…}],"x-a":[0` would break out of its message.
            guard batch.items.count == 1, let only = batch.items.first, only.source.elementsEqual(trimmed(item.json))
            else {
                return InputError(line: item.line, reason: "more than one notification on a line")
            }
            guard case .invalid(let invalid) = only.content else { return nil }
            return InputError(line: item.line, reason: invalid.reason)
        }
    }

    /// Without white space at the ends.
    private func trimmed(_ json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = json.firstIndex(where: { !JSONSpace.contains($0) }),
            let last = json.lastIndex(where: { !JSONSpace.contains($0) })
        else { return [] }
        return json[first...last]
    }

    /// Groups of at most the batch size, and small enough for the limits of a body.
    private func group(_ items: [SourceItem]) -> [ArraySlice<SourceItem>] {
        // The largest part number makes the longest opening.
        let frame = envelope.opening(part: items.count).count + Envelope.closing.count
        let most = min(batchSize, decoder.limits.maxNotifications)
        var groups: [ArraySlice<SourceItem>] = []
        var start = items.startIndex
        var size = frame
        for (position, item) in items.enumerated() {
            let added = item.json.count + 1
            if position > start, position - start == most || size + added > decoder.limits.maxBodySize {
                groups.append(items[start..<position])
                start = position
                size = frame
            }
            size += added
        }
        if start < items.endIndex { groups.append(items[start...]) }
        return groups
    }
}
