import WaybillCore

/// Why a record's push may be its notification's second.
package enum RepeatCause: Hashable, Sendable {
    /// Its message was handed out again without a final record of it: whoever had it before may have pushed it.
    case redelivery
    /// FCM answered an attempt with this status, and may have taken it all the same.
    case failedOver(status: Int)

    /// Answers of FCM that leave open whether it has taken the message: its own failure, and those of a front end.
    package static let doubtfulStatuses: Set<Int> = [500, 502, 504]
    private static let fcm = "fcm"

    /// What the record's own attempts tell; `nil` for one that is no repeat.
    package init?(_ record: LoggedDelivery) {
        guard record.isRepeat else { return nil }
        var statuses = record.provider == Self.fcm ? record.history.compactMap(\.status) : []
        // Of a single attempt there is no history.
        if record.provider == Self.fcm, record.history.isEmpty, record.outcome == Outcome.deferred.rawValue {
            statuses += [record.statusCode].compactMap(\.self)
        }
        guard let status = statuses.first(where: Self.doubtfulStatuses.contains) else {
            self = .redelivery
            return
        }
        self = .failedOver(status: status)
    }

    /// What has happened, as half a sentence.
    package var text: String {
        switch self {
        case .redelivery: "its message came back without a final record of it, so it may have been sent before"
        case .failedOver(let status):
            "FCM answered \(status) to an attempt that it may have taken all the same, so another one may be a second push"
        }
    }
}
