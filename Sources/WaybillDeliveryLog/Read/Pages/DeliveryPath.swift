import WaybillCore

/// Which index a search follows, and so in which order its records come.
enum DeliveryPath: Hashable {
    /// One notification: by date, newest first.
    case id
    /// One device: by date, newest first.
    case token
    /// One batch: its parts from the last to the first, the name itself last; in each by id, newest message first.
    case batch
    /// What went wrong: by date, newest first.
    case failures
    /// Everything else: by id, newest message first. Ids without a time in front come last.
    case messages

    init(_ query: DeliveryQuery) {
        self =
            if query.id != nil {
                .id
            } else if query.deviceToken != nil {
                .token
            } else if query.batch != nil {
                .batch
            } else if query.isAboutFailures {
                .failures
            } else {
                .messages
            }
    }
}

extension DeliveryPath {
    /// What its index is ordered by.
    var order: DeliveryPage.Order {
        switch self {
        case .id, .token, .failures: .date
        case .batch, .messages: .message
        }
    }
}

extension DeliveryQuery {
    /// Whether only failures can match, which have an index of their own.
    fileprivate var isAboutFailures: Bool {
        if excludedOutcomes.contains(.accepted) { return true }
        return outcomes.isEmpty ? !reason.values.isEmpty : !outcomes.contains(.accepted)
    }

    /// Whether an index leads to what matches, so that all of it can be looked at.
    ///
    /// That is so of one notification, one device, one batch, and of what went wrong; not where what was accepted is asked for.
    package var canBeGrouped: Bool { DeliveryPath(self) != .messages }

    /// Whether the index of a path answers the whole search, so that every record that is looked at is one to show.
    func isAnswered(by path: DeliveryPath, scope: DeliveryScope) -> Bool {
        guard scope == .all, priority == nil, [client, service, lane, topic, pushType].allSatisfy(\.isEmpty) else {
            return false
        }
        let hasDates = since != nil || until != nil
        let hasOutcomes = !outcomes.isEmpty || !excludedOutcomes.isEmpty || !reason.isEmpty
        return switch path {
        // The pages of a token go by days, whatever else is asked.
        case .id, .token: true
        case .batch: !hasOutcomes && !hasDates
        case .failures: excludedOutcomes == [.accepted] && outcomes.isEmpty && reason.isEmpty
        case .messages: !hasOutcomes && !hasDates
        }
    }
}
