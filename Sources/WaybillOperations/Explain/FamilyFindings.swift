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
/// document says so only when the next repeat would have been due.
struct FamilyFindings {
    /// Later than that, in milliseconds, nobody looks.
    private static let tolerance: Int64 = 20_000
    /// Of so many notifications at a time it is asked what was said of them.
    private static let mostAsked = 500

    private let families: [NotificationID: RepeatedFamily]
    /// The first acknowledgement, by family.
    private let acknowledged: [NotificationID: DeliveryReceipt]
    private let now: Int64
    /// Those that hold: a family that one of them is about ends when somebody looks at it next.
    var cancellations: [Cancellation] = []

    init(
        families: [NotificationID: RepeatedFamily],
        acknowledged: [NotificationID: DeliveryReceipt],
        now: Int64 = WallClock.milliseconds()
    ) {
        self.families = families
        self.acknowledged = acknowledged
        self.now = now
    }

    /// Asks the store for the families of some records, and for what was said of them.
    init(of records: [LoggedDelivery], _ reader: FamilyReader, _ receipts: ReceiptReader) throws(MongoError) {
        let names = Set(records.compactMap { $0.family?.first ?? $0.sentID })
        try self.init(try reader.families(Array(names)), receipts)
    }

    /// Asks the store for what was said of families.
    init(_ families: [NotificationID: RepeatedFamily], _ receipts: ReceiptReader) throws(MongoError) {
        let firsts = Dictionary(
            families.values.flatMap { family in family.members.map { ($0, family.first) } },
            uniquingKeysWith: { first, _ in first }
        )
        let members = Array(firsts.keys)
        var acknowledged: [NotificationID: DeliveryReceipt] = [:]
        for start in stride(from: 0, to: members.count, by: Self.mostAsked) {
            let asked = Array(members[start..<min(start + Self.mostAsked, members.count)])
            for (member, said) in try receipts.receipts(of: asked) {
                guard let first = firsts[member], let receipt = said.first(where: { $0.event == .acknowledged }) else {
                    continue
                }
                if let known = acknowledged[first], known.receivedAt <= receipt.receivedAt { continue }
                acknowledged[first] = receipt
            }
        }
        self.init(families: families, acknowledged: acknowledged)
    }

    /// The family that a record is of, which has the same client and is about the same: two may have chosen one id.
    private func family(of record: LoggedDelivery) -> RepeatedFamily? {
        guard let name = record.family?.first ?? record.sentID, let family = families[name],
            family.client == record.client
        else { return nil }
        if record.family == nil, let content = family.content, content != record.receiptSubject?.content { return nil }
        return family
    }

    /// Whether a record's notification is still to be sent again, as far as its family and what devices have said tell.
    ///
    /// - Parameter record: of its first one, or of a repeat.
    /// - Returns: `false` for what is sent once.
    func isUnderWay(_ record: LoggedDelivery) -> Bool {
        guard let family = family(of: record), family.due != nil, acknowledged[family.first] == nil else {
            return false
        }
        guard let batch = record.batchID else { return true }
        return !cancellations.contains {
            $0.names(batch: batch, client: record.client) && family.begins <= $0.coversUntil
        }
    }

    /// The step that tells of a record's family; `nil` for a notification that is sent once.
    func step(of record: LoggedDelivery) -> StoryStep? {
        if let place = record.family {
            let text = "repeat \(place.number) of \(place.limit) of \(place.first)"
            guard let family = family(of: record) else { return StoryStep(.repeats, date: nil, text: text) }
            return step(text, family)
        }
        guard let family = family(of: record) else { return nil }
        let times = family.number == 1 ? "once" : "\(family.number) times"
        let sent = family.number == 0 ? "not sent again yet" : "sent again \(times)"
        return step("\(sent), \(family.rule.limit) at the most, every \(family.rule.interval) s", family)
    }

    private func step(_ place: String, _ family: RepeatedFamily) -> StoryStep {
        func time(_ milliseconds: Int64?) -> String {
            milliseconds.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
        }
        let state: String
        if let receipt = acknowledged[family.first] {
            let member = family.members.firstIndex { $0.id == receipt.id }.map {
                $0 == 0 ? ", by the first" : ", by repeat \($0)"
            }
            state = "stopped because acknowledged\(time(receipt.receivedAt))\(member ?? "")"
        } else if let due = family.due {
            let isLate = now - due > Self.tolerance
            state =
                isLate
                ? "the next look was due\(time(due)), and nobody took it: is waybill schedule running?"
                : "the next look is due\(time(due))"
        } else {
            state = "ended\(time(family.endedAt)): \(family.end?.words ?? "for a reason of another release of Waybill")"
        }
        return StoryStep(.repeats, date: nil, text: "\(place); \(state)")
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
