import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillReceipts
import WaybillThreads

/// What is known of notifications that are sent again until somebody acknowledges them, for the stories of their records.
///
/// What devices have said is asked for all of a family: an acknowledgement counts from the moment when it is stored, and the family's
/// document says so only when the next repeat would have been due. So it is with an order that cancels the batch.
struct FamilyFindings {
    /// Later than that, in milliseconds, nobody looks.
    private static let tolerance: Int64 = 20_000
    /// Of so many notifications at a time it is asked what was said of them, and what is recorded.
    private static let mostAsked = 500

    private let families: [NotificationID: RepeatedFamily]
    /// The first acknowledgement, by family.
    private let acknowledged: [NotificationID: DeliveryReceipt]
    private let now: Int64
    /// How the last one of a family ended that the broker is known to have, by family.
    private var lastOutcomes: [NotificationID: Outcome] = [:]
    /// By family.
    private var batches: [NotificationID: String] = [:]
    /// Those that hold: a family that one of them is about ends when somebody looks at it next.
    var cancellations: [Cancellation] = []
    /// Those that were taken back: they may have ended a family before.
    var lifted: [Cancellation] = []
    /// Whose orders are told of.
    var scope = DeliveryScope.all

    init(
        families: [NotificationID: RepeatedFamily],
        acknowledged: [NotificationID: DeliveryReceipt],
        now: Int64 = WallClock.milliseconds()
    ) {
        self.families = families
        self.acknowledged = acknowledged
        self.now = now
    }

    /// Asks the store for the families of some records, and for what was said and is recorded of them.
    init(
        of records: [LoggedDelivery],
        _ reader: FamilyReader,
        _ receipts: ReceiptReader,
        _ log: DeliveryLogReader
    ) throws(MongoError) {
        let names = Set(records.compactMap { $0.family?.first ?? $0.sentID })
        try self.init(try reader.families(Array(names)), receipts, log)
    }

    /// Asks the store for what was said and is recorded of families.
    init(
        _ families: [NotificationID: RepeatedFamily],
        _ receipts: ReceiptReader,
        _ log: DeliveryLogReader
    ) throws(MongoError) {
        let firsts = Dictionary(
            families.values.flatMap { family in family.members.map { ($0, family.first) } },
            uniquingKeysWith: { first, _ in first }
        )
        var acknowledged: [NotificationID: DeliveryReceipt] = [:]
        for asked in Self.parts(of: Array(firsts.keys)) {
            for (member, said) in try receipts.receipts(of: asked) {
                guard let first = firsts[member], let receipt = said.first(where: { $0.event == .acknowledged }) else {
                    continue
                }
                if let known = acknowledged[first], known.receivedAt <= receipt.receivedAt { continue }
                acknowledged[first] = receipt
            }
        }
        self.init(families: families, acknowledged: acknowledged)
        for asked in Self.parts(of: Array(Set(families.values.flatMap { [$0.first, $0.last] }))) {
            note(try log.records(of: asked, time: DeliveryPage.longestTime))
        }
    }

    private static func parts<Element>(of all: [Element]) -> [[Element]] {
        stride(from: 0, to: all.count, by: mostAsked).map { Array(all[$0..<min($0 + mostAsked, all.count)]) }
    }

    /// Takes notice of records of families' members.
    mutating func note(_ records: [LoggedDelivery]) {
        for record in records {
            guard let family = family(of: record) else { continue }
            batches[family.first] = record.batchID
            if record.sentID == family.last { lastOutcomes[family.first] = Outcome(rawValue: record.outcome) }
        }
    }

    var isEmpty: Bool { families.isEmpty }

    /// How many of the families have a repeat that is still to be sent.
    var underWay: Int { families.values.count { isUnderWay($0, batch: batches[$0.first]) } }

    /// The family that a record is of, which has the same client and is about the same: two may have chosen one id.
    private func family(of record: LoggedDelivery) -> RepeatedFamily? {
        guard let name = record.family?.first ?? record.sentID, let family = families[name],
            family.client.isExactly(record.client)
        else { return nil }
        if record.family == nil, let content = family.content, content != record.receiptSubject?.content { return nil }
        return family
    }

    /// Whether a record's notification is still to be sent again, as far as its family and what devices have said tell.
    ///
    /// - Parameter record: of its first one, or of a repeat.
    /// - Returns: `false` for what is sent once.
    func isUnderWay(_ record: LoggedDelivery) -> Bool {
        family(of: record).map { isUnderWay($0, batch: record.batchID) } ?? false
    }

    private func isUnderWay(_ family: RepeatedFamily, batch: String?) -> Bool {
        family.hasNext(last: lastOutcomes[family.first], now: now) && acknowledged[family.first] == nil
            && Self.orders(cancellations, about: family, batch: batch).isEmpty
    }

    /// The orders that are about a family.
    private static func orders(
        _ orders: [Cancellation],
        about family: RepeatedFamily,
        batch: String?
    ) -> [Cancellation] {
        guard let batch else { return [] }
        return orders.filter { $0.names(batch: batch, client: family.client) && family.begins <= $0.coversUntil }
    }

    /// The step that tells of a record's family; `nil` for a notification that is sent once.
    func step(of record: LoggedDelivery) -> StoryStep? {
        let family = family(of: record)
        let place: String
        if let member = record.family {
            place = "repeat \(member.number) of \(member.limit) of \(member.first)"
        } else if let family {
            let count = family.sent(last: lastOutcomes[family.first])
            let sent =
                switch count {
                case 0: family.due == nil ? "not sent again" : "not sent again yet"
                case 1: "sent again once"
                default: "sent again \(count) times"
                }
            place = "\(sent), \(family.rule.limit) at the most, every \(family.rule.interval) s"
        } else {
            return nil
        }
        let end = family.map { "; \(state(of: $0, batch: record.batchID))" } ?? ""
        return StoryStep(.repeats, date: nil, text: place + end)
    }

    private static func time(_ milliseconds: Int64?) -> String {
        milliseconds.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
    }

    private func state(of family: RepeatedFamily, batch: String?) -> String {
        let acknowledgement = acknowledged[family.first].map { receipt in
            let member = family.members.firstIndex { $0.id == receipt.id }.map {
                $0 == 0 ? ", by the first" : ", by repeat \($0)"
            }
            return "acknowledged\(Self.time(receipt.receivedAt))\(member ?? "")"
        }
        let cancellation = cancellation(of: family, batch: batch)
        if family.end == .cancelled {
            let end = "ended\(Self.time(family.endedAt)): \(cancellation ?? FamilyEnd.cancelled.words)"
            return acknowledgement.map { "\(end); \($0)" } ?? end
        }
        if let acknowledgement {
            return "stopped because \(acknowledgement)" + (cancellation.map { "; \($0)" } ?? "")
        }
        if let cancellation { return "stopped because \(cancellation)" }
        if family.due != nil, let end = lastOutcomes[family.first].flatMap(FamilyEnd.init(ofLast:)) {
            return "stopped because \(end.words)"
        }
        guard let due = family.due else {
            return
                "ended\(Self.time(family.endedAt)): \(family.end?.words ?? "for a reason of another release of Waybill")"
        }
        return now - due > Self.tolerance
            ? "the next look was due\(Self.time(due)), and nobody took it: is waybill schedule running?"
            : "the next look is due\(Self.time(due))"
    }

    /// That a family's batch was cancelled, with who did it and when, where whoever asks may know.
    ///
    /// - Returns: `nil` where it was not, or the family had ended before.
    private func cancellation(of family: RepeatedFamily, batch: String?) -> String? {
        var orders = Self.orders(cancellations, about: family, batch: batch)
        if family.end == .cancelled {
            // Of several the last one before the end is meant.
            orders += Self.orders(lifted, about: family, batch: batch)
            let before = orders.filter { order in family.endedAt.map { order.source.date <= $0 } ?? true }
            orders = before.isEmpty ? orders : before
        } else {
            guard family.due != nil, !orders.isEmpty || lastOutcomes[family.first] == .cancelled else { return nil }
        }
        let told = orders.filter { scope.includes(client: $0.client) }.max { $0.source.date < $1.source.date }
        guard let source = told?.source else { return FamilyEnd.cancelled.words }
        let note = source.note.map { " (\($0))" } ?? ""
        return "\(FamilyEnd.cancelled.words) by \(source.name)\(Self.time(source.date))\(note)"
    }
}

extension FamilyEnd {
    /// For people, behind "ended".
    fileprivate var words: String {
        switch self {
        case .acknowledged: "it was acknowledged"
        case .limit: "all repeats were sent, and nobody has acknowledged it"
        case .expired: "it was too late for another one"
        case .cancelled: "its batch was cancelled"
        case .tokenInvalid: "the push service has refused its token"
        case .rejected: "the last one was refused"
        case .lost: "what became of the last one was not recorded within a week"
        }
    }
}
