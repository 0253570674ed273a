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
    /// Ids of several messages that one query asks for at the most.
    private static let groupSize = 1_000

    /// Messages that one query is for: many small ones together, a large one alone.
    static func groups(of messages: [InFlightMessage]) -> [[InFlightMessage]] {
        var groups: [[InFlightMessage]] = []
        var room = 0
        for message in messages {
            let count = message.batch.items.count
            if count <= room { groups[groups.count - 1].append(message) } else { groups.append([message]) }
            room = (count <= room ? room : groupSize) - count
        }
        return groups
    }

    /// Looks up every item, those whose id another notification has under their other one, and the newer notifications that
    /// take the place of those which are to be pushed again.
    ///
    /// - Parameter messages: one of ``groups(of:)``.
    /// - Returns: what was found, for each message.
    /// - Throws: what the store says.
    func findings(of messages: [InFlightMessage]) throws(MongoError) -> [RecallFindings] {
        let recorded = try records(of: messages)
        var all: [RecallFindings] = []
        for message in messages { all.append(try findings(of: message.batch, in: recorded)) }
        try lookForNewer(messages, &all)
        return all
    }

    private func findings(
        of batch: Batch,
        in recorded: [NotificationID: RecordedDelivery]
    ) throws(MongoError) -> RecallFindings {
        var findings = RecallFindings()
        guard !recorded.isEmpty else { return findings }
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

    /// Asks for newer notifications that were accepted, where an older one would replace them on the screen.
    ///
    /// A first push needs no question: nothing that was published later has overtaken it by waiting for a retry.
    private func lookForNewer(
        _ messages: [InFlightMessage],
        _ findings: inout [RecallFindings]
    ) throws(MongoError) {
        var shown: [ShownNotification] = []
        var places: [(message: Int, position: Int)] = []
        for (number, message) in messages.enumerated() where message.origin.isRetry || message.origin.isRedelivered {
            for (position, item) in message.batch.items.enumerated() {
                let recorded = findings[number].own[position]
                guard case .valid(let notification) = item.content, recorded?.outcome.isFinal != true,
                    let one = ShownNotification(
                        notification,
                        messageTime: item.fingerprint == nil
                            ? message.batch.identity.milliseconds.map(Int64.init) : nil,
                        firstPush: recorded?.firstPush,
                        firstSeen: message.origin.firstSeen
                    )
                else { continue }
                shown.append(one)
                places.append((number, position))
            }
        }
        guard !shown.isEmpty else { return }
        let newer: [NotificationID?]
        do throws(MongoError) {
            newer = try reader.newerAccepted(than: shown)
        } catch {
            // A token with that many pushes keeps no other message waiting: what is not known to be older is pushed.
            guard error.code == .timeLimitExceeded else { throw error }
            return
        }
        for (place, newer) in zip(places, newer) {
            if let newer { findings[place.message].newer[place.position] = newer }
        }
    }

    /// Whether a record is about this item.
    func isOwn(_ found: RecordedDelivery, _ item: Batch.Item) -> Bool {
        reader.isRecord(found, of: item.deviceToken, fingerprint: item.fingerprint)
    }

    private func records(of messages: [InFlightMessage]) throws(MongoError) -> [NotificationID: RecordedDelivery] {
        if messages.count == 1, let batch = messages.first?.batch, !batch.hasGivenIDs,
            let ids = messages.first?.finalizer.part?.ids, ids.span <= Self.greatestSpread * batch.items.count
        {
            return try reader.recorded(from: ids.first, through: ids.last, count: ids.span)
        }
        return try reader.recorded(messages.flatMap { $0.batch.items.map(\.id) })
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
