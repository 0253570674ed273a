import WaybillCore

/// Why a record's push may be its notification's second.
package enum RepeatCause: Hashable, Sendable {
    /// The service accepted two pushes.
    case acceptedTwice
    /// A push followed an attempt that may have reached the service: the attempt's status, or how its answer was lost.
    case followed(String)
    /// Its message was handed out again without a final record of it: the dispatcher that had it before may have pushed it.
    case redelivery

    /// What the record's own attempts tell; `nil` for one that is no repeat.
    package init?(_ record: LoggedDelivery) {
        guard record.isRepeat else { return nil }
        if record.history.count(where: { $0.status == 200 }) > 1 {
            self = .acceptedTwice
        } else if let doubtful = record.history.dropLast().first(where: \.mayHaveBeenTaken) {
            self = .followed(doubtful.status.map(String.init) ?? doubtful.reason ?? "no answer")
        } else {
            self = .redelivery
        }
    }

    /// What has happened, as half a sentence.
    package var text: String {
        switch self {
        case .acceptedTwice: "two pushes of it were accepted"
        case .followed(let end):
            "an attempt ended with \(end) and may have reached the service, so the next one may be a second push"
        case .redelivery: "its message came back without a final record of it, so it may have been sent before"
        }
    }
}
