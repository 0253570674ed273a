import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillReceipts
import WaybillThreads

/// What is known of notifications that are sent again until somebody acknowledges them, for the stories of their records.
///
/// What devices have said is asked for all of a family: an acknowledgement counts from the moment when it is stored, and the family's
/// document says so only when the next repeat would have been due.
struct FamilyFindings {
    /// Later than that, nobody looks.
    private static let tolerance: Int64 = 120_000

    private let families: [NotificationID: RepeatedFamily]
    /// The first acknowledgement, by family.
    private let acknowledged: [NotificationID: DeliveryReceipt]
    private let now: Int64

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
        let families = try reader.families(Array(names))
        var acknowledged: [NotificationID: DeliveryReceipt] = [:]
        for family in families.values {
            let said = try receipts.receipts(of: family.members).values.joined()
            acknowledged[family.first] =
                said.filter { $0.event == .acknowledged }.min { $0.receivedAt < $1.receivedAt }
        }
        self.init(families: families, acknowledged: acknowledged)
    }

    /// The step that tells of a record's family; `nil` for a notification that is sent once.
    func step(of record: LoggedDelivery) -> StoryStep? {
        if let place = record.family {
            let text = "repeat \(place.number) of \(place.limit) of \(place.first)"
            guard let family = families[place.first] else { return StoryStep(.repeats, date: nil, text: text) }
            return step(text, family)
        }
        guard let id = record.sentID, let family = families[id] else { return nil }
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
            let member = family.members.firstIndex(of: receipt.id).map {
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
