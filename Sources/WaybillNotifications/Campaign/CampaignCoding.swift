import WaybillEncoding
import WaybillMongo

extension Campaign {
    private typealias Field = CampaignLayout.Field

    /// - Returns: `nil` for a document that is not whole.
    init?(_ document: BSONDocument) {
        guard let id = document["\(Field.id)"]?.string,
            let state = document["\(Field.state)"]?.string.flatMap(State.init),
            let content = document["\(Field.content)"]?.document,
            let createdAt = document["\(Field.createdAt)"]?.date
        else { return nil }
        var start = CampaignTiming.Start.now
        if let at = document["\(Field.at)"]?.date { start = .at(at) }
        if let text = document["\(Field.localAt)"]?.string {
            guard let local = LocalTime(text) else { return nil }
            start = .local(local)
        }
        self.init(
            id: id,
            name: document["\(Field.name)"]?.string ?? id,
            content: content,
            timing: CampaignTiming(
                start: start,
                zone: document["\(Field.zone)"]?.string ?? "UTC",
                passed: document["\(Field.passed)"]?.string.flatMap(CampaignTiming.Passed.init) ?? .skip,
                quiet: document["\(Field.quiet)"]?.string.flatMap(QuietHours.init)
            ),
            createdAt: createdAt,
            createdBy: document["\(Field.createdBy)"]?.string ?? ""
        )
        self.state = state
        if document["\(Field.held)"]?.bool == true {
            held = CampaignOrder(by: document["\(Field.heldBy)"]?.string, at: document["\(Field.heldAt)"]?.date)
        }
        if state == .cancelled {
            cancelled = CampaignOrder(
                by: document["\(Field.cancelledBy)"]?.string,
                at: document["\(Field.cancelledAt)"]?.date
            )
        }
        numbersAfter = Int64(document["\(Field.numbersAfter)"]?.amount ?? 0)
        mark = document["\(Field.mark)"]?.string
        startedAt = document["\(Field.startedAt)"]?.date
        parts = (document["\(Field.parts)"]?.elements ?? []).compactMap(\.document).map { CampaignPart($0) }
    }

    /// Why a document is no campaign, which nobody goes on with: the field, its value, and what there may be.
    static func flaw(_ document: BSONDocument) -> String {
        let known = State.allCases.map(\.rawValue)
        switch document["\(Field.state)"] {
        case .string(let word) where !known.contains(word):
            return "its state is \(TextLength.cut(word, to: 40)), which is none of \(known.joined(separator: ", "))"
        case .string: return "its document is not whole: only waybill campaign and the API write campaigns"
        default: return "its state is no text, and so none of \(known.joined(separator: ", "))"
        }
    }

    /// A draft.
    var document: BSONWriter {
        let writer = BSONWriter()
        writer.append(Field.id, string: id)
        writer.append(Field.name, string: name)
        writer.append(Field.state, string: State.draft.rawValue)
        writer.append(Field.content, document: content)
        switch timing.start {
        case .now: break
        case .at(let time): writer.append(Field.at, date: time)
        case .local(let time): writer.append(Field.localAt, string: time.description)
        }
        writer.append(Field.zone, string: timing.zone)
        writer.append(Field.passed, string: timing.passed.rawValue)
        if let quiet = timing.quiet { writer.append(Field.quiet, string: quiet.description) }
        if let mark { writer.append(Field.mark, string: mark) }
        writer.append(Field.createdAt, date: createdAt)
        writer.append(Field.createdBy, string: createdBy)
        return writer
    }
}

extension CampaignPart {
    private typealias Field = CampaignLayout.PartField

    init(_ document: BSONDocument) {
        self.init(
            at: document["\(Field.at)"]?.date,
            zones: (document["\(Field.zones)"]?.elements ?? []).compactMap(\.string),
            otherThan: document["\(Field.otherThan)"]?.elements?.compactMap(\.string),
            devices: document["\(Field.devices)"]?.amount ?? 0,
            skipped: document["\(Field.skipped)"]?.string
        )
    }

    func append(to writer: BSONWriter) {
        if let at { writer.append(Field.at, date: at) }
        if !zones.isEmpty { writer.append(Field.zones, array: { for zone in zones { $0.append(string: zone) } }) }
        if let otherThan {
            writer.append(Field.otherThan, array: { for zone in otherThan { $0.append(string: zone) } })
        }
        writer.append(Field.devices, int: devices)
        if let skipped { writer.append(Field.skipped, string: skipped) }
    }
}
