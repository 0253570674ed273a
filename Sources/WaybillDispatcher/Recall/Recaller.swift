import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

/// Asks the log what it holds of a message's items.
///
/// *Thread:* the reader's. *Blocking:* ``findings(of:)``.
struct Recaller {
    let reader: DeliveryLogReader

    /// A range is walked where at most so many ids lie in it for each that is asked for.
    private static let greatestSpread = 4

    /// Looks up every item, and those whose id another notification has under their other one.
    func findings(of message: InFlightMessage) throws(MongoError) -> RecallFindings {
        let batch = message.batch
        var findings = RecallFindings()
        let recorded = try records(of: batch)
        for (position, item) in batch.items.enumerated() {
            guard let found = recorded[item.id] else { continue }
            if isOwn(found, item) {
                findings.own[position] = found
                guard item.fingerprint == nil else { continue }
                findings.youngest = max(findings.youngest ?? .min, found.date)
            } else {
                findings.withTakenID.insert(position)
            }
        }
        guard !findings.withTakenID.isEmpty else { return findings }
        let others = try reader.recorded(findings.withTakenID.map { batch.items[$0].otherID(in: batch.identity) })
        for position in findings.withTakenID {
            let item = batch.items[position]
            if let found = others[item.otherID(in: batch.identity)], isOwn(found, item) {
                findings.own[position] = found
            }
        }
        return findings
    }

    /// Whether a record is about this item.
    func isOwn(_ found: RecordedDelivery, _ item: Batch.Item) -> Bool {
        reader.isRecord(found, of: item.deviceToken, fingerprint: item.fingerprint)
    }

    private func records(of batch: Batch) throws(MongoError) -> [NotificationID: RecordedDelivery] {
        if !batch.hasGivenIDs, let first = batch.items.first, let last = batch.items.last {
            let count = last.index - first.index + 1
            if count <= Self.greatestSpread * batch.items.count {
                return try reader.recorded(from: first.id, through: last.id, count: count)
            }
        }
        return try reader.recorded(batch.items.map(\.id))
    }
}

extension Batch.Item {
    /// The id of the item, under which its record is, if no other notification has it.
    var id: NotificationID {
        switch content {
        case .valid(let notification): notification.id
        case .invalid(let invalid): invalid.id
        }
    }

    /// The id of its record if another notification has ``id``: the derived one for a given id, else the spare one.
    func otherID(in identity: MessageIdentity) -> NotificationID {
        identity.otherID(at: index, isGiven: fingerprint != nil)
    }

    /// What it is about, if its producer gave the id.
    var fingerprint: UInt64? {
        if case .valid(let notification) = content { notification.fingerprint } else { nil }
    }

    var deviceToken: ArraySlice<UInt8>? {
        switch content {
        case .valid(let notification): notification.deviceToken
        case .invalid(let invalid): invalid.deviceToken
        }
    }
}

extension MessageIdentity {
    /// The id of an item's record if another notification has its own: the derived one for a given id, else the spare one.
    func otherID(at index: Int, isGiven: Bool) -> NotificationID {
        isGiven ? id(at: index) : spareID(at: index)
    }
}
