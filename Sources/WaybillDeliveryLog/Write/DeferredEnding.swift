import WaybillCore
import WaybillMongo

/// A deferred record, and the final one that takes its place.
struct DeferredEnding {
    private let old: LoggedDelivery
    /// What statistics count.
    let record: DeliveryRecord
    let document: BSONWriter

    /// - Returns: `nil` for a record that the order is not about, or that is not one of ours.
    init?(of old: LoggedDelivery, _ order: DeferredDeliveries.Order, _ retention: RetentionPolicy, now: Int64) {
        // Without a time of its own, what was put off before the order was published before it.
        guard let id = old.id, let lane = old.lane, old.messageTime ?? old.date <= order.date else { return nil }
        let attempts = RecordedDelivery(old).sentAttempts
        let ending = Ending(.cancelled(by: order.source), attempts: attempts)
        let isByDate = StatisticsMinute.isByDate(messageTime: old.messageTime.map(UInt64.init(clamping:)), date: now)
        self.old = old
        record = DeliveryRecord(
            id: id,
            deviceToken: nil,
            outcome: ending.outcome,
            statusCode: ending.statusCode,
            reason: ending.reason,
            date: now,
            batchID: old.batchID ?? "",
            client: old.client,
            lane: lane,
            topic: old.topic,
            kind: old.pushType,
            isCountedByDate: isByDate
        )
        document = BSONWriter()
        for (key, value) in old.document.fields {
            switch key {
            case "\(Field.outcome)":
                document.append(Field.outcome, string: record.outcome.rawValue)
                if let status = record.statusCode { document.append(Field.statusCode, int: status) }
                if let reason = record.reason { document.append(Field.reason, string: reason) }
            case "\(Field.date)":
                document.append(recordDate: now)
                if let expiresAt = retention.expiresAt(date: now, client: record.client) {
                    document.append(Field.expiresAt, date: expiresAt)
                }
            case "\(Field.statusCode)", "\(Field.reason)", "\(Field.expiresAt)", "\(Field.latency)",
                "\(Field.invalidSince)", "\(Field.history)", "\(Field.waited)", "\(Field.due)", "\(Field.pass)",
                "\(Field.byDate)", "\(Field.day)":
                continue
            default:
                guard document.append(name: key, value: value) else { return nil }
            }
        }
        if !attempts.isEmpty { document.append(history: attempts) }
        if !old.waited.isEmpty { document.append(waited: old.waited.ended(at: now)) }
        if isByDate { document.append(Field.byDate, bool: true) }
    }

    /// The condition that the record is the one that was read.
    func fill(_ filter: BSONWriter) {
        filter.removeAll()
        filter.append(Field.id, uuid: record.id.high, record.id.low)
        if let token = old.deviceToken {
            filter.append(Field.deviceToken, string: token)
        } else {
            filter.append(Field.deviceToken) { $0.append("$exists", bool: false) }
        }
        filter.append(Field.outcome, string: Outcome.deferred.rawValue)
        filter.append(Field.attempts, int: old.attempts)
        filter.append(Field.date, date: old.date)
        if !old.isRepeat { filter.append(Field.isRepeat) { $0.append("$exists", bool: false) } }
    }
}
