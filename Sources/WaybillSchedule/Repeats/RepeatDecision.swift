import WaybillCore
import WaybillDeliveryLog
import WaybillReceipts

/// What is done about a notification that is sent again until somebody acknowledges it, when its time has come: pure.
///
/// Times are milliseconds since 1970.
enum RepeatDecision: Hashable {
    /// The repeat of this number is sent.
    case send(number: Int)
    /// Nothing is sent before that time.
    case wait(until: Int64)
    case end(FamilyEnd, acknowledged: DeliveryReceipt? = nil)

    /// So long is waited for the record of a notification that waits itself: for its lane, or for another attempt.
    static let patience: Int64 = 7 * 86_400_000
    /// How long until somebody looks for that record again, at the most.
    private static let pause: Int64 = 15_000

    /// - Parameters:
    ///   - family: with the last repeat that was sent.
    ///   - last: what became of that; `nil` where nothing is recorded.
    ///   - acknowledged: the first word of any of the family that it was.
    ///   - now: the time.
    /// - Returns: what is to be done.
    static func make(
        _ family: UnacknowledgedStore.Claimed,
        last: RecordedDelivery?,
        acknowledged: DeliveryReceipt?,
        now: Int64
    ) -> RepeatDecision {
        let notification = family.notification
        if let acknowledged { return .end(.acknowledged, acknowledged: acknowledged) }
        if let end = last.flatMap({ FamilyEnd(ofLast: $0.outcome) }) { return .end(end) }
        if let ends = notification.ends, ends <= now { return .end(.expired) }
        let interval = Int64(notification.rule.interval) * 1000
        guard let last, last.outcome.isFinal else {
            let planned = notification.begins + Int64(family.number + 1) * interval
            guard now - planned < patience else { return .end(.lost) }
            return .wait(until: now + min(interval, pause))
        }
        let due = last.date + interval
        // What is too late before it is due ends when it is.
        guard due <= now else { return .wait(until: min(due, notification.ends ?? due)) }
        guard family.number < notification.rule.limit else { return .end(.limit) }
        return .send(number: family.number + 1)
    }
}
